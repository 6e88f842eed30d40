/**
 * Named places where tests inject faults. One instance belongs to one cluster; in production it is
 * {@link noFailpoints}, whose `hit` does nothing.
 */
export interface Failpoints {
  /** Called by the code at the named place; may throw or wait as the test told it. */
  hit(name: string): Promise<void> | void;
}

export const noFailpoints: Failpoints = { hit: () => undefined };

/** Failpoints that tests arm by name. */
export class ArmedFailpoints implements Failpoints {
  private readonly actions = new Map<string, () => Promise<void> | void>();

  arm(name: string, action: () => Promise<void> | void): void {
    this.actions.set(name, action);
  }

  disarm(name: string): void {
    this.actions.delete(name);
  }

  hit(name: string): Promise<void> | void {
    return this.actions.get(name)?.();
  }
}

/** Writes metrics in Prometheus' text form, family by family. */
export class Exposition {
  private readonly families = new Map<string, string[]>();

  /** A value of a metric; `at` in milliseconds since the epoch. The first call for a name tells its type and help. */
  add(name: string, type: 'counter' | 'gauge', help: string, labels: Readonly<Record<string, string>>, value: number, at?: number): void {
    let lines = this.families.get(name);
    if (!lines) {
      lines = [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
      this.families.set(name, lines);
    }
    const pairs = Object.keys(labels).sort().map((key) => [key, labels[key]!] as const).map(([key, text]) => `${key}="${escape(text)}"`);
    lines.push(`${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}${at === undefined ? '' : ` ${Math.trunc(at)}`}`);
  }

  /** The families in the order of their names. */
  toString(): string {
    return [...this.families.keys()].sort().map((name) => `${this.families.get(name)!.join('\n')}\n`).join('');
  }
}

function escape(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

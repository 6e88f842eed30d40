/** Path of a field in an object, as it appears in validation messages: `spec.containers[0].name`. */
export class FieldPath {
  private constructor(private readonly text: string) {}

  static of(...names: readonly string[]): FieldPath {
    return new FieldPath(names.join('.'));
  }

  /** The empty path, printed as `<nil>` like upstream does. */
  static readonly root = new FieldPath('');

  child(...names: readonly string[]): FieldPath {
    // One name is the usual case, and validation makes very many of them.
    const tail = names.length === 1 ? names[0]! : names.join('.');
    return new FieldPath(this.text === '' ? tail : `${this.text}.${tail}`);
  }

  index(i: number): FieldPath {
    return new FieldPath(`${this.text}[${i}]`);
  }

  key(k: string): FieldPath {
    return new FieldPath(`${this.text}[${k}]`);
  }

  toString(): string {
    return this.text === '' ? '<nil>' : this.text;
  }
}

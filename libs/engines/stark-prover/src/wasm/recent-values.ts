/** Values that are costly to make and asked for again and again, by what they depend on; the most recent few are kept. */
export class RecentValues<Value> {
  private readonly values = new Map<string, Value>();

  constructor(private readonly countMax: number) {}

  /** @param make called where the value is not kept; must depend on the key alone */
  get(key: string, make: () => Value): Value {
    const value = this.values.get(key) ?? make();
    // A map is in the order of insertion: what was asked for last stands last.
    this.values.delete(key);
    this.values.set(key, value);
    if (this.values.size > this.countMax) this.values.delete(this.values.keys().next().value as string);
    return value;
  }
}

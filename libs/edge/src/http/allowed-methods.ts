/** Which methods a path is served with: what a 405 must say in `Allow` (RFC 9110, section 15.5.6). */
export class AllowedMethods {
  private readonly methodsByPattern = new Map<string, { matches: RegExp; methods: Set<string> }>();

  /** @param path a route's path with `:name` parameters */
  add(method: string, path: string): void {
    let entry = this.methodsByPattern.get(path);
    if (!entry) {
      entry = { matches: patternOf(path), methods: new Set() };
      this.methodsByPattern.set(path, entry);
    }
    entry.methods.add(method);
  }

  /**
   * The methods of a path, sorted; empty where nothing is served there.
   *
   * @param isServed tells which methods and patterns count; all by default
   */
  of(url: string, isServed: (method: string, pattern: string) => boolean = () => true): string[] {
    const path = url.split('?', 1)[0];
    const methods = new Set<string>();
    for (const [pattern, entry] of this.methodsByPattern) {
      if (!entry.matches.test(path)) continue;
      for (const method of entry.methods) if (isServed(method, pattern)) methods.add(method);
    }
    return [...methods].sort();
  }
}

function patternOf(path: string): RegExp {
  const source = path
    .split('/')
    .map(segment => (segment.startsWith(':') ? '[^/]+' : segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
    .join('/');
  return new RegExp(`^${source}$`);
}

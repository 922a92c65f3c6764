const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** A text that names no address for the public. */
export class PublicUrlError extends Error {
  override readonly name = 'PublicUrlError';
}

/** Where the public reaches the service: what answers say of its address comes from here, and from no header. */
export class PublicUrls {
  private readonly byHost = new Map<string, URL>();

  /**
   * @param urls origins, `https://svc.example`; http on loopback alone. None: any host is believed, as a laptop wants it
   * @throws PublicUrlError
   */
  constructor(urls: readonly string[] = []) {
    for (const text of urls) {
      const url = URL.canParse(text) ? new URL(text) : undefined;
      const isOrigin = url !== undefined && url.pathname === '/' && url.search === '' && url.hash === '';
      if (!isOrigin || url.username !== '' || url.password !== '')
        throw new PublicUrlError(`must be origins such as https://svc.example, got ${JSON.stringify(text)}`);
      const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname));
      if (!isSafe)
        throw new PublicUrlError(`must be https, or http on loopback, got ${JSON.stringify(text)}`);
      this.byHost.set(url.host, url);
    }
  }

  /** Whether there are any: without, every host is taken. */
  get areKnown(): boolean {
    return this.byHost.size > 0;
  }

  /** The origin that a `Host` belongs to, with or without the port that its scheme has by default. */
  of(host: string): URL | undefined {
    const lower = host.toLowerCase();
    return this.byHost.get(lower) ?? this.byHost.get(lower.replace(/:(443|80)$/, ''));
  }
}

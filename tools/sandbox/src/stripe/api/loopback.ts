/** Names by which a process is reached from its own machine alone. */
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Whether a URL leads to this machine. */
export function isLoopback(url: string): boolean {
  return URL.canParse(url) && LOOPBACK.has(new URL(url).hostname);
}

/**
 * Whether a `Host` header names this machine: a page in a browser that had its own name resolve to
 * 127.0.0.1 says its own.
 */
export function isLoopbackHost(host: string | undefined): boolean {
  return host !== undefined && isLoopback(`http://${host}`);
}

import { z } from 'zod';

const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether a URL is https, or http to this machine. */
export function isHttpsOrLoopback(text: string): boolean {
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK_HOSTS.has(hostname));
}

/** Where browsers and payers reach us: the gateway's is the first of the list that `PUBLIC_URL` is. */
export const PublicUrl = z
  .string()
  .transform(text => text.split(/[\s,]+/)[0])
  .pipe(z.url().refine(isHttpsOrLoopback, 'must be https, or http on loopback'));

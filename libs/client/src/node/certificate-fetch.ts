import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import type { Fetch } from '../http-exchange.js';

/**
 * A `fetch` that trusts exactly one certificate authority: a Lightning node signs its own
 * certificate, and Node's own `fetch` cannot be told to trust it.
 *
 * @param certificatePem the node's `tls.cert`
 */
export function certificateFetch(certificatePem: string): Fetch {
  return (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    return new Promise<Response>((resolve, reject) => {
      const outgoing = requestHttps(
        url,
        {
          method: init.method ?? 'GET',
          headers: Object.fromEntries(new Headers(init.headers)),
          ca: certificatePem,
          signal: init.signal ?? undefined,
        },
        incoming => {
          const headers = new Headers();
          for (let i = 0; i < incoming.rawHeaders.length; i += 2)
            headers.append(incoming.rawHeaders[i], incoming.rawHeaders[i + 1]);
          const body = Readable.toWeb(incoming) as ReadableStream<Uint8Array>;
          resolve(new Response(body, { status: incoming.statusCode, headers }));
        },
      );
      outgoing.once('error', reject);
      outgoing.end(typeof init.body === 'string' ? init.body : undefined);
    });
  };
}

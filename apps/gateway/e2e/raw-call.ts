import type { ProblemDetails } from '@svc/contracts';
import { type IncomingHttpHeaders, request } from 'node:http';

/** An answer, with its header lines as they came. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body, where it is JSON. */
  readonly json: Partial<ProblemDetails> & Record<string, unknown>;
}

/** Header lines, in their order; a name may occur twice, which fetch would join. */
export type HeaderLines = readonly (readonly [name: string, value: string])[];

/** Sends a request whose header lines leave as they are. */
export function rawCall(
  address: string,
  path: string,
  options: { method?: string; lines?: HeaderLines; body?: unknown; host?: string } = {},
): Promise<RawAnswer> {
  const { method = 'POST', lines = [], body } = options;
  const { host = new URL(address).host } = options;
  const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const length: HeaderLines = bytes ? [['content-length', String(bytes.length)]] : [];
  const headers = [
    ['host', host] as const,
    ['content-type', 'application/json'] as const,
    ...length,
    ...lines,
  ];
  return new Promise((resolve, reject) => {
    const outgoing = request(address + path, { method, headers: headers.flat() }, incoming => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: incoming.statusCode!, headers: incoming.headers, text, json: jsonOf(text) });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(bytes);
  });
}

function jsonOf(text: string): RawAnswer['json'] {
  try {
    return JSON.parse(text) as RawAnswer['json'];
  } catch {
    return {};
  }
}

import { UsageError } from './exit-code.js';
import { readOperandFile } from './operand.js';

const FEED_MS_MAX = 10_000;

/** A file, or the answer of an HTTPS address. @throws {UsageError} for what is too long, too slow, or redirected */
export async function readFeed(from: string, bytesMax: number, signal: AbortSignal): Promise<Uint8Array> {
  if (!/^https?:\/\//.test(from)) return readOperandFile(from);
  const { protocol, hostname } = new URL(from);
  if (protocol === 'http:' && !['127.0.0.1', 'localhost', '[::1]'].includes(hostname))
    throw new UsageError('a feed of another machine is read by https alone');
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(FEED_MS_MAX)]);
  let response: Response;
  try {
    response = await fetch(from, {
      signal: timeout,
      redirect: 'error',
      headers: { accept: 'application/json' },
    });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new UsageError(`the feed of ${hostname} cannot be read: ${(error as Error).message}`);
  }
  if (!response.ok) throw new UsageError(`the feed of ${hostname} answers ${response.status}`);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > bytesMax) throw new UsageError(`the feed of ${hostname} is longer than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

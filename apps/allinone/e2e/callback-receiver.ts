import { createPublicKey, verify } from 'node:crypto';
import { createServer } from 'node:https';
import { HANGS_MS } from '@svc/platform/testing';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Self-signed for hooks.example.com, localhost and 127.0.0.1; its key is one of the tests and of nothing else. */
export const RECEIVER_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIByTCCAXCgAwIBAgIUGgNuaFtp4ewbIrzbN9gfyFj3NgYwCgYIKoZIzj0EAwIw
ITEfMB0GA1UEAwwWY2FsbGJhY2tzIG9mIHRoZSB0ZXN0czAgFw0yNjExMjIxMjE2
MTJaGA8yMTI2MTAyOTEyMTYxMlowITEfMB0GA1UEAwwWY2FsbGJhY2tzIG9mIHRo
ZSB0ZXN0czBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABF6Fb+lWqHjhksJMczxb
E5bojAZ6Tu95p8Jagvwa57p8gBVGecjxRaRlhBJMtDsFggOKAXOgKpfuExnfP5P3
8aijgYMwgYAwHQYDVR0OBBYEFOD1euNgBd4/qIKiarBuE+qyLlE3MB8GA1UdIwQY
MBaAFOD1euNgBd4/qIKiarBuE+qyLlE3MA8GA1UdEwEB/wQFMAMBAf8wLQYDVR0R
BCYwJIIRaG9va3MuZXhhbXBsZS5jb22CCWxvY2FsaG9zdIcEfwAAATAKBggqhkjO
PQQDAgNHADBEAiB3jFxGm5tqhylwpbCt9d+D3rztwQLZuyqRJISOC6wINAIgPZKT
g8cMJIqo3EYm6AoZD1mEpxjiOphTC3uoAtmlalM=
-----END CERTIFICATE-----
`;
const TLS_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgrAAPj2BB3oafgx1n
lMkMquUZB4wLOEvmU/LUgzqTzvWhRANCAARehW/pVqh44ZLCTHM8WxOW6IwGek7v
eafCWoL8Gue6fIAVRnnI8UWkZYQSTLQ7BYIDigFzoCqX7hMZ3z+T9/Go
-----END PRIVATE KEY-----
`;

/** A call that was received. */
export interface ReceivedCall {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Somebody's address for callbacks, over TLS on this machine. */
export class CallbackReceiver {
  readonly calls: ReceivedCall[] = [];
  /** What the next calls are answered, the last one from then on. */
  statuses: number[] = [204];
  private readonly server = createServer(
    { cert: RECEIVER_CERTIFICATE, key: TLS_KEY },
    (request, response) => {
      void this.receive(request, response);
    },
  );

  async listen(): Promise<string> {
    await new Promise<void>(resolve => this.server.listen(0, '127.0.0.1', resolve));
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}/done`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    this.calls.push({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8') });
    const status = this.statuses.length > 1 ? this.statuses.shift()! : this.statuses[0];
    response.writeHead(status, { location: 'https://127.0.0.1:1/' }).end();
  }
}

/** Standard Webhooks, asymmetric: as its specification has it, by nothing of ours. */
export function isSignedBy(
  { headers, body }: ReceivedCall,
  keys: readonly { readonly publicKey?: unknown }[],
): boolean {
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const [version, signature] = String(headers['webhook-signature']).split(',');
  if (version !== 'v1a') return false;
  return keys.some(({ publicKey }) => {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: publicKey as string };
    return verify(
      null,
      Buffer.from(signed),
      createPublicKey({ key: jwk, format: 'jwk' }),
      Buffer.from(signature, 'base64'),
    );
  });
}

/** Asks as long as something is not so yet. */
export async function until<T>(ask: () => Promise<T>, isSo: (value: T) => boolean): Promise<T> {
  for (const sinceMs = Date.now(); ;) {
    const value = await ask();
    if (isSo(value)) return value;
    if (Date.now() - sinceMs > HANGS_MS) throw new Error(`still ${JSON.stringify(value).slice(0, 400)}`);
    await new Promise(resolve => setTimeout(resolve, 10));
  }
}

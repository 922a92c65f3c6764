import { signInvoice } from '@svc/protocols/bolt11';
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** Self-signed for 127.0.0.1, as LND makes its own; a key of the tests and of nothing else. */
export const TLS_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBVDCB/KADAgECAgEBMAoGCCqGSM49BAMCMBsxGTAXBgNVBAMMEGxuZCBvZiB0
aGUgdGVzdHMwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBsxGTAX
BgNVBAMMEGxuZCBvZiB0aGUgdGVzdHMwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
AASXby88MGEvevugpz1PzQ4CsvhWALrwKmGQ1h1jGtg9NHNUWZJQ1C2h6iUE7th9
kWiQUisZ0urSL4MwZLu3vx9Goy8wLTAaBgNVHREEEzARhwR/AAABgglsb2NhbGhv
c3QwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiAuAYwoiHWCSOd6
JI2ZZjZ2BTBFcQm6JcRsLuW4+2xb8QIgZ1nX4921Tq8rDBarlO+rd7+sWIsOzXOC
hMZMd+DYT+I=
-----END CERTIFICATE-----
`;
export const TLS_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgo0MjE/xU2UMg1HVN
Uhg254pwDIs9lzbG4fdOEctI8vOhRANCAASXby88MGEvevugpz1PzQ4CsvhWALrw
KmGQ1h1jGtg9NHNUWZJQ1C2h6iUE7th9kWiQUisZ0urSL4MwZLu3vx9G
-----END PRIVATE KEY-----
`;

export const MACAROON_HEX = '0201036c6e64';
const NODE_KEY = '11'.repeat(32);

interface Invoice {
  readonly preimage: Buffer;
  readonly valueSats: number;
  state: 'OPEN' | 'SETTLED' | 'CANCELED';
}

/** The three REST calls of LND that are used, in the shapes of its API reference (v0.18). */
export class LndEmulator {
  readonly requests: { method: string; path: string; body: unknown }[] = [];
  /** Overrides the next answers, to play a node that misbehaves. */
  misbehave: ((response: ServerResponse) => void) | undefined;
  /** What the node claims to have invoiced for, instead of what was ordered. */
  invoicedSats: number | undefined;
  syncedToChain = true;
  private readonly invoices = new Map<string, Invoice>();
  private readonly server = createServer({ cert: TLS_CERTIFICATE, key: TLS_KEY }, (request, response) => {
    void this.answer(request, response);
  });

  async listen(): Promise<string> {
    await new Promise<void>(resolve => this.server.listen(0, '127.0.0.1', resolve));
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }

  /** Settles or cancels an invoice, and gives its preimage. */
  finish(paymentHash: string, state: 'SETTLED' | 'CANCELED'): string {
    const invoice = this.invoices.get(paymentHash)!;
    invoice.state = state;
    return invoice.preimage.toString('hex');
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const { method = '', url: path = '' } = request;
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    this.requests.push({ method, path, body });
    if (this.misbehave) return this.misbehave(response);
    const send = (status: number, json: unknown) => response.writeHead(status).end(JSON.stringify(json));
    if (request.headers['grpc-metadata-macaroon'] !== MACAROON_HEX) {
      return void send(500, {
        code: 2,
        message: 'verification failed: signature mismatch after caveat verification',
      });
    }
    if (method === 'POST' && path === '/v1/invoices')
      return void send(200, this.add(body as Record<string, string>));
    if (path === '/v1/getinfo') return void send(200, { synced_to_chain: this.syncedToChain });
    const found = this.invoices.get(path.replace('/v1/invoice/', ''));
    if (!found) return void send(404, { code: 5, message: 'unable to locate invoice', details: [] });
    send(200, { value: String(found.valueSats), state: found.state });
  }

  private add({ value, memo, expiry }: Record<string, string>) {
    const preimage = randomBytes(32);
    const paymentHash = createHash('sha256').update(preimage).digest('hex');
    const valueSats = this.invoicedSats ?? Number(value);
    this.invoices.set(paymentHash, { preimage, valueSats, state: 'OPEN' });
    const paymentSecret = randomBytes(32);
    const invoice = signInvoice(
      {
        network: 'regtest',
        amountSats: valueSats,
        paymentHash,
        paymentSecret: paymentSecret.toString('hex'),
        description: memo,
        createdAt: Math.floor(Date.now() / 1_000),
        expirySeconds: Number(expiry),
      },
      NODE_KEY,
    );
    return {
      r_hash: Buffer.from(paymentHash, 'hex').toString('base64'),
      payment_request: invoice,
      add_index: String(this.invoices.size),
      payment_addr: paymentSecret.toString('base64'),
    };
  }
}

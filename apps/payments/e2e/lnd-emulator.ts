import { signInvoice } from '@svc/protocols/bolt11';
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { RestNodeEmulator } from './rest-node-emulator.js';

export { TLS_CERTIFICATE } from './rest-node-emulator.js';

export const MACAROON_HEX = '0201036c6e64';
const NODE_KEY = '11'.repeat(32);

interface Invoice {
  readonly preimage: Buffer;
  readonly valueSats: number;
  state: 'OPEN' | 'SETTLED' | 'CANCELED';
}

/** The three REST calls of LND that are used, in the shapes of its API reference (v0.18). */
export class LndEmulator extends RestNodeEmulator {
  /** What the node claims to have invoiced for, instead of what was ordered. */
  invoicedSats: number | undefined;
  syncedToChain = true;
  private readonly invoices = new Map<string, Invoice>();
  /** Settles or cancels an invoice, and gives its preimage. */
  finish(paymentHash: string, state: 'SETTLED' | 'CANCELED'): string {
    const invoice = this.invoices.get(paymentHash)!;
    invoice.state = state;
    return invoice.preimage.toString('hex');
  }

  protected answer(request: IncomingMessage, path: string, body: unknown, response: ServerResponse): void {
    const send = (status: number, json: unknown) => response.writeHead(status).end(JSON.stringify(json));
    if (request.headers['grpc-metadata-macaroon'] !== MACAROON_HEX) {
      return void send(500, {
        code: 2,
        message: 'verification failed: signature mismatch after caveat verification',
      });
    }
    if (request.method === 'POST' && path === '/v1/invoices')
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

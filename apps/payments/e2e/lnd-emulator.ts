import { decodeInvoice, signInvoice } from '@svc/protocols/bolt11';
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

/** What becomes of payments: `loses` pays, and cuts the connection in place of its answer. */
export type Paying = 'pays' | 'fails' | 'loses';

/** The REST calls of LND that are used, in the shapes of its API reference (v0.18). */
export class LndEmulator extends RestNodeEmulator {
  /** What the node claims to have invoiced for, instead of what was ordered. */
  invoicedSats: number | undefined;
  syncedToChain = true;
  paying: Paying = 'pays';
  /** Payments by payment hash, and how often each was paid. */
  readonly payments = new Map<string, { status: 'SUCCEEDED' | 'FAILED'; paidTimes: number }>();
  private readonly invoices = new Map<string, Invoice>();
  /** Settles or cancels an invoice, and gives its preimage. */
  finish(paymentHash: string, state: 'SETTLED' | 'CANCELED'): string {
    const invoice = this.invoices.get(paymentHash)!;
    invoice.state = state;
    return invoice.preimage.toString('hex');
  }

  /** {@link finish} of the invoice that was made last. */
  settleNewest(): string {
    return this.finish([...this.invoices.keys()].at(-1)!, 'SETTLED');
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
    if (path === '/v2/router/send') return this.pay(body as Record<string, string>, response);
    if (path.startsWith('/v2/router/track/')) return this.track(path, response);
    const found = this.invoices.get(path.replace('/v1/invoice/', ''));
    if (!found) return void send(404, { code: 5, message: 'unable to locate invoice', details: [] });
    send(200, { value: String(found.valueSats), state: found.state });
  }

  /** As its router does: one payment of a payment hash, unless the one before has failed. */
  private pay({ payment_request: invoice }: Record<string, string>, response: ServerResponse): void {
    const { paymentHash } = decodeInvoice(invoice, 'regtest');
    const before = this.payments.get(paymentHash);
    if (before?.status === 'SUCCEEDED')
      return void response
        .writeHead(409)
        .end(JSON.stringify({ code: 6, message: 'invoice is already paid' }));
    const status = this.paying === 'fails' ? ('FAILED' as const) : ('SUCCEEDED' as const);
    const paidTimes = (before?.paidTimes ?? 0) + (status === 'SUCCEEDED' ? 1 : 0);
    this.payments.set(paymentHash, { status, paidTimes });
    if (this.paying === 'loses') return void response.destroy();
    response.writeHead(200).end(`${JSON.stringify({ result: { status, payment_hash: paymentHash } })}\n`);
  }

  private track(path: string, response: ServerResponse): void {
    const id = path.slice('/v2/router/track/'.length).split('?')[0];
    const found = this.payments.get(Buffer.from(id, 'base64url').toString('hex'));
    if (!found)
      return void response
        .writeHead(404)
        .end(JSON.stringify({ error: { code: 5, message: "payment isn't initiated" } }));
    response.writeHead(200).end(`${JSON.stringify({ result: { status: found.status } })}\n`);
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

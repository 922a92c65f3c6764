import { decodeInvoice, signInvoice } from '@svc/protocols/bolt11';
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { RestNodeEmulator } from './rest-node-emulator.js';

export { TLS_CERTIFICATE } from './rest-node-emulator.js';
export const RUNE = 'AAECAwQFBgcICQoLDA0ODw-test-rune==';
const NODE_KEY = '22'.repeat(32);
/** Error codes of lightningd that clnrest hands on. */
const RUNE_REFUSED = 1502;
const LABEL_TAKEN = 900;
const BAD_PARAMETERS = -32_602;
const NO_METHOD = -32_601;
const NO_ROUTE = 205;

interface Invoice {
  readonly preimage: Buffer;
  readonly label: string;
  readonly bolt11: string;
  readonly amountMsat: number;
  readonly expiresAt: number;
  status: 'unpaid' | 'paid' | 'expired';
}

type Parameters = Record<string, unknown>;

/**
 * The methods of Core Lightning that are used, over clnrest as it is documented: `POST /v1/<method>`, the header
 * `Rune`, 201 for a call that was done, errors as `{code, message}` with 401, 403, 404 or 500 (schemas of v24.11).
 */
export class ClnEmulator extends RestNodeEmulator {
  /** What the node invoices for, instead of what was ordered. */
  invoicedMsat: number | undefined;
  /** What arrives for an invoice, instead of what it asks for. */
  receivedMsat: number | string | undefined;
  /** Whether it pays; with `loses` it does, and cuts the connection in place of its answer. */
  paying: 'pays' | 'fails' | 'loses' = 'pays';
  /** Payments by payment hash, and how often each was paid. */
  readonly payments = new Map<string, { status: 'complete' | 'failed'; paidTimes: number }>();
  /** Members of `getinfo` beside the usual ones. */
  info: Record<string, unknown> = {};
  private readonly invoices = new Map<string, Invoice>();
  /** Pays or ends an invoice, and gives its preimage. */
  finish(paymentHash: string, status: 'paid' | 'expired'): string {
    const invoice = this.invoices.get(paymentHash)!;
    invoice.status = status;
    return invoice.preimage.toString('hex');
  }

  protected answer(request: IncomingMessage, path: string, body: unknown, response: ServerResponse): void {
    const send = (status: number, json: unknown) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
    if (request.headers.rune !== RUNE) {
      return send(401, { code: RUNE_REFUSED, message: 'Not authorized: Not derived from master' });
    }
    const done = this.done(path, (body ?? {}) as Parameters);
    if (path === '/v1/pay' && this.paying === 'loses') return void response.destroy();
    send('code' in done ? (done.code === NO_METHOD ? 404 : 500) : 201, done);
  }

  private done(path: string, body: Parameters): Record<string, unknown> {
    switch (path) {
      case '/v1/getinfo':
        return { id: '02'.repeat(33), network: 'regtest', blockheight: 100, version: 'v24.11', ...this.info };
      case '/v1/invoice':
        return this.invoice(body);
      case '/v1/listinvoices':
        return { invoices: this.listed(String(body.payment_hash)) };
      case '/v1/pay':
        return this.pay(body);
      case '/v1/listpays': {
        const found = this.payments.get(String(body.payment_hash));
        return { pays: found ? [{ payment_hash: body.payment_hash, status: found.status }] : [] };
      }
      default:
        return { code: NO_METHOD, message: 'Unknown command' };
    }
  }

  /** A payment hash that was paid is not paid again: the same answer. */
  private pay({ bolt11, retry_for, maxfee, ...more }: Parameters): Record<string, unknown> {
    const [surplus] = Object.keys(more);
    if (surplus !== undefined || typeof retry_for !== 'number' || typeof maxfee !== 'number')
      return { code: BAD_PARAMETERS, message: `parameters: ${surplus}` };
    const { paymentHash, amountSats } = decodeInvoice(String(bolt11), 'regtest');
    const before = this.payments.get(paymentHash);
    const isPaid = before?.status === 'complete';
    if (!isPaid && this.paying === 'fails') {
      this.payments.set(paymentHash, { status: 'failed', paidTimes: 0 });
      return { code: NO_ROUTE, message: 'Ran out of routes to try' };
    }
    if (!isPaid) this.payments.set(paymentHash, { status: 'complete', paidTimes: 1 });
    return { payment_hash: paymentHash, status: 'complete', amount_msat: amountSats * 1_000, parts: 1 };
  }

  private invoice({ amount_msat, label, description, expiry, ...more }: Parameters): Record<string, unknown> {
    const [surplus] = Object.keys(more);
    if (surplus !== undefined) return { code: BAD_PARAMETERS, message: `unknown parameter: ${surplus}` };
    if (typeof amount_msat !== 'number' || typeof label !== 'string' || typeof description !== 'string') {
      return { code: BAD_PARAMETERS, message: 'missing required parameter' };
    }
    if ([...this.invoices.values()].some(invoice => invoice.label === label)) {
      return { code: LABEL_TAKEN, message: 'Duplicate label' };
    }
    const preimage = randomBytes(32);
    const paymentHash = createHash('sha256').update(preimage).digest('hex');
    const paymentSecret = randomBytes(32).toString('hex');
    const amountMsat = this.invoicedMsat ?? amount_msat;
    const createdAt = Math.floor(Date.now() / 1_000);
    const expirySeconds = Number(expiry ?? 604_800);
    const bolt11 = signInvoice(
      {
        network: 'regtest',
        amountSats: amountMsat / 1_000,
        paymentHash,
        paymentSecret,
        description,
        createdAt,
        expirySeconds,
      },
      NODE_KEY,
    );
    const expiresAt = createdAt + expirySeconds;
    this.invoices.set(paymentHash, { preimage, label, bolt11, amountMsat, expiresAt, status: 'unpaid' });
    return {
      payment_hash: paymentHash,
      expires_at: expiresAt,
      bolt11,
      payment_secret: paymentSecret,
      created_index: this.invoices.size,
      warning_capacity: 'Insufficient incoming channel capacity to pay invoice',
    };
  }

  private listed(paymentHash: string): Record<string, unknown>[] {
    const invoice = this.invoices.get(paymentHash);
    if (!invoice) return [];
    const { label, bolt11, amountMsat, expiresAt, status, preimage } = invoice;
    const paid = {
      pay_index: 1,
      amount_received_msat: this.receivedMsat ?? amountMsat,
      paid_at: Math.floor(Date.now() / 1_000),
      payment_preimage: preimage.toString('hex'),
    };
    return [
      {
        label,
        bolt11,
        payment_hash: paymentHash,
        amount_msat: amountMsat,
        status,
        expires_at: expiresAt,
        created_index: 1,
        ...(status === 'paid' ? paid : {}),
      },
    ];
  }
}

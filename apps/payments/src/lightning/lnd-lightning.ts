import { problem } from '@svc/platform';
import type { LightningNetwork } from '@svc/protocols';
import { decodeInvoice, InvoiceError } from '@svc/protocols/bolt11';
import {
  type InvoiceOrder,
  type InvoiceState,
  type IssuedInvoice,
  type LightningBackend,
  type PayableInvoice,
  PAYING_MS,
  PAYING_SECONDS,
  type PaymentState,
  routingFeeMax,
} from './lightning-backend.js';
import { type NodeAnswer, NodeRest } from './node-rest.js';

const READY_AGE_MS = 5_000;

export interface LndConnection {
  /** `https://host:8080`; plain http only to this machine. */
  readonly url: string;
  /** Macaroon with the rights `invoices:read invoices:write info:read`, and `offchain:read offchain:write` to pay refunds, hex. */
  readonly macaroonHex: string;
  /** PEM of the node's self-signed certificate; the system's authorities otherwise. */
  readonly tlsCertificate?: string;
  readonly network: LightningNetwork;
}

/** An LND node over its REST interface (LND API reference, services Lightning and Invoices). */
export class LndLightning implements LightningBackend {
  readonly kind = 'lnd';
  readonly network: LightningNetwork;
  private readonly rest: NodeRest;
  private ready: { at: number; answer: Promise<boolean> } | undefined;

  constructor({ url, macaroonHex, tlsCertificate, network }: LndConnection) {
    this.network = network;
    this.rest = new NodeRest({ url, tlsCertificate, headers: { 'Grpc-Metadata-macaroon': macaroonHex } });
  }

  async createInvoice(order: InvoiceOrder): Promise<IssuedInvoice> {
    const { status, json } = await this.exchange('POST', '/v1/invoices', {
      value: String(order.amountSats),
      memo: order.description,
      expiry: String(order.expirySeconds),
    });
    const { payment_request: invoice, r_hash: hash } = json;
    if (status !== 200 || typeof invoice !== 'string' || typeof hash !== 'string') {
      throw away(`answered ${status} to a new invoice`);
    }
    const paymentHash = Buffer.from(hash, 'base64').toString('hex');
    const decoded = this.decode(invoice);
    // A challenge states hash, amount and network beside the invoice; they must be the invoice's own.
    if (decoded.paymentHash !== paymentHash || decoded.amountSats !== order.amountSats) {
      throw away('made an invoice for another amount or payment hash than it says');
    }
    return { invoice, paymentHash, expiresAtMs: (decoded.createdAt + decoded.expirySeconds) * 1_000 };
  }

  async lookup({ paymentHash }: { paymentHash: string }): Promise<InvoiceState> {
    const { status, json } = await this.exchange('GET', `/v1/invoice/${paymentHash}`);
    if (status === 404 || /unable to locate invoice|no invoice/i.test(String(json.message))) return 'unknown';
    if (status !== 200) throw away(`answered ${status} to a look-up`);
    switch (json.state) {
      case 'SETTLED':
        return 'settled';
      case 'CANCELED':
        return 'cancelled';
      default:
        return 'open';
    }
  }

  async payInvoice({ invoice, amountSats }: PayableInvoice): Promise<PaymentState> {
    const asked = {
      ...{ payment_request: invoice, timeout_seconds: PAYING_SECONDS, no_inflight_updates: true },
      fee_limit_sat: String(routingFeeMax(amountSats)),
    };
    const { status, json } = await this.exchange('POST', '/v2/router/send', asked, PAYING_MS);
    // Before anything else the node looks whether the macaroon may do that.
    if (status === 403 || /permission denied/i.test(faultOf(json))) return 'failed';
    return paymentStateOf(status, json);
  }

  async paymentOf(paymentHash: string): Promise<PaymentState | 'none'> {
    const id = Buffer.from(paymentHash, 'hex').toString('base64url');
    const path = `/v2/router/track/${id}?no_inflight_updates=true`;
    const { status, json } = await this.exchange('GET', path);
    if (status === 404 || /isn't initiated/i.test(faultOf(json))) return 'none';
    return paymentStateOf(status, json);
  }

  /** Asked at most every 5 seconds: the node's own answer that it follows the chain. */
  isReady(): Promise<boolean> {
    const now = Date.now();
    if (!this.ready || now - this.ready.at > READY_AGE_MS) {
      const answer = this.exchange('GET', '/v1/getinfo').then(
        ({ status, json }) => status === 200 && json.synced_to_chain === true,
        () => false,
      );
      this.ready = { at: now, answer };
    }
    return this.ready.answer;
  }

  close(): void {
    this.rest.close();
  }

  private decode(invoice: string) {
    try {
      return decodeInvoice(invoice, this.network);
    } catch (error) {
      if (error instanceof InvoiceError) throw away(`made an invoice that cannot be read: ${error.message}`);
      throw error;
    }
  }

  private exchange(
    method: 'GET' | 'POST',
    path: string,
    body?: unknown,
    timeoutMs?: number,
  ): Promise<NodeAnswer> {
    return this.rest.exchange(method, path, body, timeoutMs).catch((error: Error) => {
      throw away(error.message, error);
    });
  }
}

/** What the node says is wrong, of a stream or not. */
const faultOf = (json: Record<string, unknown>): string =>
  String((json.error as { message?: unknown } | undefined)?.message ?? json.message ?? '');

/** An error says nothing of the payment: it may have been begun by an earlier call. */
function paymentStateOf(status: number, { result }: Record<string, unknown>): PaymentState {
  switch ((result as { status?: unknown } | undefined)?.status) {
    case 'SUCCEEDED':
      return 'paid';
    case 'FAILED':
      return 'failed';
    case 'IN_FLIGHT':
    case 'INITIATED':
      return 'pending';
    default:
      throw away(`answered ${status} to a payment`);
  }
}

/** The reason is for the log; a caller learns only that Lightning is away. */
function away(reason: string, cause: Error = new Error(`the Lightning node ${reason}`)) {
  return problem('SERVICE_UNAVAILABLE', 'The Lightning node is away', { retryAfterSeconds: 5, cause });
}

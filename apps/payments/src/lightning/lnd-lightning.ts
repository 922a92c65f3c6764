import { problem } from '@svc/platform';
import type { LightningNetwork } from '@svc/protocols';
import { decodeInvoice, InvoiceError } from '@svc/protocols/bolt11';
import type { InvoiceOrder, InvoiceState, IssuedInvoice, LightningBackend } from './lightning-backend.js';
import { type NodeAnswer, NodeRest } from './node-rest.js';

const READY_AGE_MS = 5_000;

export interface LndConnection {
  /** `https://host:8080`; plain http only to this machine. */
  readonly url: string;
  /** Macaroon with the rights `invoices:read invoices:write info:read`, hex. */
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

  private exchange(method: 'GET' | 'POST', path: string, body?: unknown): Promise<NodeAnswer> {
    return this.rest.exchange(method, path, body).catch((error: Error) => {
      throw away(error.message, error);
    });
  }
}

/** The reason is for the log; a caller learns only that Lightning is away. */
function away(reason: string, cause: Error = new Error(`the Lightning node ${reason}`)) {
  return problem('SERVICE_UNAVAILABLE', 'The Lightning node is away', { retryAfterSeconds: 5, cause });
}

import { problem } from '@svc/platform';
import type { LightningNetwork } from '@svc/protocols';
import { decodeInvoice, InvoiceError } from '@svc/protocols/bolt11';
import { request as httpRequest } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import type { InvoiceOrder, InvoiceState, IssuedInvoice, LightningBackend } from './lightning-backend.js';

const TIMEOUT_MS = 5_000;
const ANSWER_BYTES_MAX = 256 * 1024;
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

interface LndAnswer {
  readonly status: number;
  readonly json: Record<string, unknown>;
}

/** An LND node over its REST interface (LND API reference, services Lightning and Invoices). */
export class LndLightning implements LightningBackend {
  readonly kind = 'lnd';
  readonly network: LightningNetwork;
  private readonly agent: Agent | undefined;
  private ready: { at: number; answer: Promise<boolean> } | undefined;

  constructor(private readonly connection: LndConnection) {
    this.network = connection.network;
    if (connection.url.startsWith('https:')) {
      this.agent = new Agent({ keepAlive: true, ca: connection.tlsCertificate });
    }
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
    this.agent?.destroy();
  }

  private decode(invoice: string) {
    try {
      return decodeInvoice(invoice, this.network);
    } catch (error) {
      if (error instanceof InvoiceError) throw away(`made an invoice that cannot be read: ${error.message}`);
      throw error;
    }
  }

  private exchange(method: string, path: string, body?: unknown): Promise<LndAnswer> {
    const url = new URL(path, this.connection.url);
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const headers = {
      'Grpc-Metadata-macaroon': this.connection.macaroonHex,
      'Content-Type': 'application/json',
    };
    return new Promise((resolve, reject) => {
      const fail = (error: Error) => reject(away(error.message, error));
      const request = send(url, { method, headers, agent: this.agent, timeout: TIMEOUT_MS }, response => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > ANSWER_BYTES_MAX)
            response.destroy(new Error(`sent more than ${ANSWER_BYTES_MAX} bytes`));
          else chunks.push(chunk);
        });
        response.on('error', fail);
        response.on('end', () => {
          const json = parseObject(Buffer.concat(chunks).toString('utf8'));
          if (json) resolve({ status: response.statusCode ?? 0, json });
          else fail(new Error(`answered ${response.statusCode} with no JSON object`));
        });
      });
      request.on('timeout', () => request.destroy(new Error(`did not answer within ${TIMEOUT_MS} ms`)));
      request.on('error', fail);
      request.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** The reason is for the log; a caller learns only that Lightning is away. */
function away(reason: string, cause: Error = new Error(`the Lightning node ${reason}`)) {
  return problem('SERVICE_UNAVAILABLE', 'The Lightning node is away', { retryAfterSeconds: 5, cause });
}

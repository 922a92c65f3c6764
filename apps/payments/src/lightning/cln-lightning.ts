import { problem } from '@svc/platform';
import type { LightningNetwork } from '@svc/protocols';
import { decodeInvoice, InvoiceError } from '@svc/protocols/bolt11';
import { randomUUID } from 'node:crypto';
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

const MSATS_A_SAT = 1_000;
/** Networks as Core Lightning names them. */
const NETWORK_NAMES: Record<LightningNetwork, string> = {
  mainnet: 'bitcoin',
  signet: 'signet',
  regtest: 'regtest',
};

/** Errors of `pay` after which nothing of it is on its way: refused by the receiver, no route, too dear, expired, no time left. */
const NOT_PAID: readonly unknown[] = [203, 205, 206, 207, 210];
/** The rune may not call the method. */
const RUNE_REFUSED: readonly unknown[] = [1501, 1502];

export interface ClnConnection {
  /** `https://host:3010`; plain http only to this machine. */
  readonly url: string;
  /** Rune that may call `invoice`, `listinvoices` and `getinfo`, and `pay` and `listpays` to pay refunds. */
  readonly rune: string;
  /** PEM of the certificate that clnrest made for itself (`ca.pem`); the system's authorities otherwise. */
  readonly tlsCertificate?: string;
  readonly network: LightningNetwork;
}

/** A Core Lightning node over its plugin clnrest (`POST /v1/<method>`, the header `Rune`). */
export class ClnLightning implements LightningBackend {
  readonly kind = 'cln';
  readonly network: LightningNetwork;
  private readonly rest: NodeRest;

  constructor({ url, rune, tlsCertificate, network }: ClnConnection) {
    this.network = network;
    this.rest = new NodeRest({ url, tlsCertificate, headers: { Rune: rune } });
  }

  async createInvoice(order: InvoiceOrder): Promise<IssuedInvoice> {
    const { json, ok, status } = await this.call('invoice', {
      amount_msat: order.amountSats * MSATS_A_SAT,
      // The node wants one that it has not seen, and shows it to nobody.
      label: `svc-${randomUUID()}`,
      description: order.description,
      expiry: order.expirySeconds,
    });
    const { bolt11: invoice, payment_hash: paymentHash } = json;
    if (!ok || typeof invoice !== 'string' || typeof paymentHash !== 'string') {
      throw away(`answered ${status} to a new invoice`);
    }
    const decoded = this.decode(invoice);
    // A challenge states hash, amount and network beside the invoice; they must be the invoice's own.
    if (decoded.paymentHash !== paymentHash || decoded.amountSats !== order.amountSats) {
      throw away('made an invoice for another amount or payment hash than it says');
    }
    return { invoice, paymentHash, expiresAtMs: (decoded.createdAt + decoded.expirySeconds) * 1_000 };
  }

  async lookup({ paymentHash }: { paymentHash: string }): Promise<InvoiceState> {
    const { json, ok, status } = await this.call('listinvoices', { payment_hash: paymentHash });
    if (!ok || !Array.isArray(json.invoices)) throw away(`answered ${status} to a look-up`);
    const [invoice] = json.invoices as Record<string, unknown>[];
    if (!invoice) return 'unknown';
    if (invoice.payment_hash !== paymentHash) throw away('looked up another invoice than it was asked for');
    switch (invoice.status) {
      case 'paid':
        return msatsOf(invoice.amount_received_msat) >= msatsOf(invoice.amount_msat) ? 'settled' : 'open';
      case 'expired':
        return 'cancelled';
      default:
        return 'open';
    }
  }

  async payInvoice({ invoice, amountSats }: PayableInvoice): Promise<PaymentState> {
    const asked = {
      ...{ bolt11: invoice, retry_for: PAYING_SECONDS },
      maxfee: routingFeeMax(amountSats) * MSATS_A_SAT,
    };
    const { json, ok, status } = await this.call('pay', asked, PAYING_MS);
    if (ok) return paymentStateOf(json.status);
    if (RUNE_REFUSED.includes(json.code) || NOT_PAID.includes(json.code)) return 'failed';
    throw away(`answered ${status} to a payment`);
  }

  async paymentOf(paymentHash: string): Promise<PaymentState | 'none'> {
    const { json, ok, status } = await this.call('listpays', { payment_hash: paymentHash });
    if (!ok || !Array.isArray(json.pays)) throw away(`answered ${status} to a look-up of a payment`);
    const states = (json.pays as { status?: unknown }[]).map(pay => paymentStateOf(pay.status));
    if (states.includes('paid')) return 'paid';
    if (states.includes('pending')) return 'pending';
    return states.length === 0 ? 'none' : 'failed';
  }

  /** The node's own answer that it is of this network, and follows the chain. */
  async isReady(): Promise<boolean> {
    try {
      const { ok, json } = await this.call('getinfo', {});
      const isBehind = 'warning_bitcoind_sync' in json || 'warning_lightningd_sync' in json;
      return ok && json.network === NETWORK_NAMES[this.network] && !isBehind;
    } catch {
      return false;
    }
  }

  close(): void {
    this.rest.close();
  }

  private async call(
    method: string,
    parameters: object,
    timeoutMs?: number,
  ): Promise<NodeAnswer & { ok: boolean }> {
    const sent = this.rest.exchange('POST', `/v1/${method}`, parameters, timeoutMs);
    const answer = await sent.catch((error: Error) => {
      throw away(error.message, error);
    });
    // Each call makes something, clnrest finds: it says 201, and 200 in some versions.
    return { ...answer, ok: answer.status === 201 || answer.status === 200 };
  }

  private decode(invoice: string) {
    try {
      return decodeInvoice(invoice, this.network);
    } catch (error) {
      if (error instanceof InvoiceError) throw away(`made an invoice that cannot be read: ${error.message}`);
      throw error;
    }
  }
}

/** What is not known to have failed is on its way. */
function paymentStateOf(status: unknown): PaymentState {
  if (status === 'complete') return 'paid';
  return status === 'failed' ? 'failed' : 'pending';
}

/** An amount as a number, or as older versions write it, `1000msat`; NaN for anything else, which is never enough. */
function msatsOf(value: unknown): number {
  if (typeof value === 'number') return value;
  const digits = typeof value === 'string' ? /^(\d{1,18})(msat)?$/.exec(value)?.[1] : undefined;
  return digits === undefined ? NaN : Number(digits);
}

/** The reason is for the log; a caller learns only that Lightning is away. */
function away(reason: string, cause: Error = new Error(`the Lightning node ${reason}`)) {
  return problem('SERVICE_UNAVAILABLE', 'The Lightning node is away', { retryAfterSeconds: 5, cause });
}

import { freshBytes, problem } from '@svc/platform';
import { deriveKey, hmacSha256, opensPaymentHash } from '@svc/protocols';
import { type DecodedInvoice, decodeInvoice, InvoiceError, signInvoice } from '@svc/protocols/bolt11';
import { createECDH, createHash } from 'node:crypto';
import type {
  InvoiceOrder,
  InvoiceState,
  IssuedInvoice,
  LightningBackend,
  PayableInvoice,
  PaymentState,
} from './lightning-backend.js';

/**
 * A Lightning node without a network: it signs real regtest invoices and pays those it made itself.
 * It stores nothing. The preimage is derived from the invoice's payment secret, so it can be given
 * out again, and only to who presents an invoice that this key signed.
 */
export class SandboxLightning implements LightningBackend {
  readonly kind = 'sandbox';
  readonly network = 'regtest';
  private readonly nodeKey: string;
  private readonly nodeId: string;
  private readonly preimageKey: Uint8Array;

  /** @param secret of at least 32 characters; another secret is another node */
  /** Payment hashes of what it paid, while it runs. */
  private readonly paid = new Set<string>();

  constructor(
    secret: string,
    private readonly now: () => number = Date.now,
  ) {
    this.nodeKey = Buffer.from(deriveKey(secret, 'sandbox-node-key')).toString('hex');
    this.preimageKey = deriveKey(secret, 'sandbox-preimage');
    const ecdh = createECDH('secp256k1');
    ecdh.setPrivateKey(this.nodeKey, 'hex');
    this.nodeId = ecdh.getPublicKey('hex', 'compressed');
  }

  async createInvoice(order: InvoiceOrder): Promise<IssuedInvoice> {
    const paymentSecret = freshBytes(32).toString('hex');
    const createdAt = Math.floor(this.now() / 1_000);
    const paymentHash = sha256(this.preimageOf(paymentSecret));
    const invoice = signInvoice(
      { ...order, network: this.network, paymentHash, paymentSecret, createdAt },
      this.nodeKey,
    );
    return { invoice, paymentHash, expiresAtMs: (createdAt + order.expirySeconds) * 1_000 };
  }

  /**
   * Pays an invoice of this node. Paying it again gives the same preimage, as a payer whose answer
   * was lost needs it.
   *
   * @throws ProblemError VALIDATION_FAILED for what is no regtest invoice, UNPROCESSABLE for one of
   * another node, EXPIRED for one whose time has passed
   */
  pay(invoice: string): { preimage: string; paymentHash: string; amountSats: number } {
    const decoded = this.decode(invoice);
    const { payeeNodeKey, paymentSecret, paymentHash, amountSats, createdAt, expirySeconds } = decoded;
    const preimage = this.preimageOf(paymentSecret);
    if (payeeNodeKey !== this.nodeId || sha256(preimage) !== paymentHash) {
      throw problem('UNPROCESSABLE', 'invoice was not made by this sandbox node');
    }
    if (this.now() >= (createdAt + expirySeconds) * 1_000) {
      const expiredAt = new Date((createdAt + expirySeconds) * 1_000).toISOString();
      throw problem('EXPIRED', `invoice expired at ${expiredAt}`);
    }
    return { preimage: preimage.toString('hex'), paymentHash, amountSats };
  }

  /** Whoever holds the preimage has paid: it leaves this node by no other way than {@link pay}. */
  async lookup({ paymentHash, preimage }: { paymentHash: string; preimage?: string }): Promise<InvoiceState> {
    return preimage === undefined || opensPaymentHash(preimage, paymentHash) ? 'settled' : 'open';
  }

  /** It pays what it has made itself, of which nothing moves; there is no other node. */
  async payInvoice({ invoice, paymentHash }: PayableInvoice): Promise<PaymentState> {
    try {
      this.pay(invoice);
      this.paid.add(paymentHash);
      return 'paid';
    } catch {
      return 'failed';
    }
  }

  async paymentOf(paymentHash: string): Promise<PaymentState | 'none'> {
    return this.paid.has(paymentHash) ? 'paid' : 'none';
  }

  async isReady(): Promise<boolean> {
    return true;
  }

  close(): void {
    // There is no connection.
  }

  private decode(invoice: string): DecodedInvoice {
    try {
      return decodeInvoice(invoice, this.network);
    } catch (error) {
      if (!(error instanceof InvoiceError)) throw error;
      const errors = [{ path: 'invoice', message: error.message, got: invoice.slice(0, 80) }];
      throw problem('VALIDATION_FAILED', error.message, { errors });
    }
  }

  private preimageOf(paymentSecret: string): Buffer {
    return Buffer.from(hmacSha256(this.preimageKey, paymentSecret));
  }
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

import { Inject, Injectable } from '@nestjs/common';
import type { CalledRequest, Receipt, StoredResponse } from '@svc/contracts';
import { SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
import { compactJws, withSignedReceipt } from '@svc/protocols';
import { createHash } from 'node:crypto';
import { openAnswer, sealAnswer } from '../claim/sealed-answer.js';
import { PAYMENT_KEYS, type PaymentKeys } from '../payments-config.js';
import { RECEIPT_SETTINGS, type ReceiptSettings } from './receipt-config.js';
import { receiptPayload, type SoldClaim } from './receipt-payload.js';
import type { CalledUrl, Delivery } from './stored-receipt.js';

/** What hashes are sealed as, so that none is opened as an answer. */
const HASHES = 'hashes of receipts';

/** Signs what was delivered. What it cannot sign is delivered all the same, and said in the log. */
@Injectable()
export class SignedReceipts {
  constructor(
    @Inject(RECEIPT_SETTINGS) private readonly settings: ReceiptSettings,
    @Inject(PAYMENT_KEYS) private readonly paymentKeys: Pick<PaymentKeys, 'storedAnswer'>,
    @Inject(SERVICE_ENVIRONMENT) private readonly environment: Pick<ServiceEnvironment, 'logger'>,
  ) {}

  /** The request of a claim as its row has it, at our own origin. */
  calledUrl({ path, requestHash }: CalledRequest): CalledUrl {
    return {
      url: `${this.settings.origin}${path}`,
      requestHash: this.sealed(Buffer.from(requestHash, 'hex')),
    };
  }

  /** What the row of a claim is to say of its delivery; undefined where no key may sign now. */
  deliveryOf({ body }: Pick<StoredResponse, 'body'>, nowMs = Date.now()): Delivery | undefined {
    const { keys, version } = this.settings;
    const signer = keys.signer(nowMs);
    if (!signer) {
      this.environment.logger.error('An answer is delivered without a receipt: no key may sign now');
      return undefined;
    }
    const responseHash = this.sealed(createHash('sha256').update(body).digest());
    return { responseHash, issuedAt: Math.floor(nowMs / 1_000), kid: signer.kid, version };
  }

  /** The receipt of a claim that was delivered, its headers with the signed one where there is one. */
  shown(claim: SoldClaim): Receipt {
    const { called: _called, chain: _chain, delivery, ...receipt } = claim.receipt;
    if (!delivery) return receipt;
    try {
      const payload = receiptPayload(claim, sealed => this.opened(sealed));
      if (!payload) return receipt;
      const jws = compactJws(payload, this.settings.keys.signerOf(delivery.kid));
      return { ...receipt, headers: withSignedReceipt(receipt.headers, jws) };
    } catch (error) {
      const { kid } = delivery;
      this.environment.logger.error({ kid, reason: (error as Error).message }, 'A receipt is not signed');
      return receipt;
    }
  }

  /** The receipt of a claim whose answer is another's than its own delivery: of the saga that its ticket began. */
  shownWith(claim: SoldClaim, called: CalledRequest, body: Uint8Array, answeredAt: Date): Receipt {
    const delivery = this.deliveryOf({ body }, answeredAt.getTime());
    return this.shown({ ...claim, receipt: { ...claim.receipt, called: this.calledUrl(called), delivery } });
  }

  private sealed(hash: Uint8Array): string {
    return sealAnswer(this.paymentKeys.storedAnswer, HASHES, hash).toString('base64');
  }

  /** @throws RangeError where another key has sealed it */
  private opened(sealed: string): string {
    const hash = openAnswer(this.paymentKeys.storedAnswer, HASHES, Buffer.from(sealed, 'base64'));
    if (!hash) throw new RangeError('a hash was sealed by another key');
    return Buffer.from(hash).toString('hex');
  }
}

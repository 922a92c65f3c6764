import { Inject, Injectable } from '@nestjs/common';
import type { CalledRequest, Receipt, StoredResponse } from '@svc/contracts';
import { SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
import { compactJws, withSignedReceipt } from '@svc/protocols';
import { createHash } from 'node:crypto';
import { RECEIPT_SETTINGS, type ReceiptSettings } from './receipt-config.js';
import { receiptPayload, type SoldClaim } from './receipt-payload.js';
import type { CalledUrl, Delivery } from './stored-receipt.js';

/** Signs what was delivered. What it cannot sign is delivered all the same, and said in the log. */
@Injectable()
export class SignedReceipts {
  constructor(
    @Inject(RECEIPT_SETTINGS) private readonly settings: ReceiptSettings,
    @Inject(SERVICE_ENVIRONMENT) private readonly environment: Pick<ServiceEnvironment, 'logger'>,
  ) {}

  /** The request of a claim as its row has it, at our own origin. */
  calledUrl({ path, requestHash }: CalledRequest): CalledUrl {
    return { url: `${this.settings.origin}${path}`, requestHash };
  }

  /** What the row of a claim is to say of its delivery; undefined where no key may sign now. */
  deliveryOf({ body }: StoredResponse, nowMs = Date.now()): Delivery | undefined {
    const { keys, version } = this.settings;
    const signer = keys.signer(nowMs);
    if (!signer) {
      this.environment.logger.error('An answer is delivered without a receipt: no key may sign now');
      return undefined;
    }
    const responseHash = createHash('sha256').update(body).digest('hex');
    return { responseHash, issuedAt: Math.floor(nowMs / 1_000), kid: signer.kid, version };
  }

  /** The receipt of a claim that was delivered, its headers with the signed one where there is one. */
  shown(claim: SoldClaim): Receipt {
    const { called: _called, chain: _chain, delivery, ...receipt } = claim.receipt;
    const payload = receiptPayload(claim);
    if (!payload || !delivery) return receipt;
    try {
      const jws = compactJws(payload, this.settings.keys.signerOf(delivery.kid));
      return { ...receipt, headers: withSignedReceipt(receipt.headers, jws) };
    } catch (error) {
      const { kid } = delivery;
      this.environment.logger.error({ kid, reason: (error as Error).message }, 'A receipt is not signed');
      return receipt;
    }
  }
}

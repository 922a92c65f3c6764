import { Body, Controller, Headers } from '@nestjs/common';
import { checkoutContract, creditsRoutes, type WebhookReceipt } from '@svc/contracts';
import { BusClient, problem } from '@svc/platform';
import type { z } from 'zod';
import { Endpoint } from '@svc/edge';

/** Longest `Stripe-Signature` that is read: some signatures, while a secret is rolled. */
const SIGNATURE_CHARS_MAX = 1_024;

/** Hands the card processor's notifications on as they came, byte for byte: the signature covers those. */
@Controller()
export class StripeWebhookHttpController {
  constructor(private readonly bus: BusClient) {}

  @Endpoint(creditsRoutes.stripeWebhook)
  take(
    @Body() payload: Buffer | undefined,
    @Headers('stripe-signature') signature: string | undefined,
  ): Promise<z.output<typeof WebhookReceipt>> {
    if (!payload || payload.length === 0) throw problem('WEBHOOK_INVALID', 'There is no body');
    if (signature !== undefined && signature.length > SIGNATURE_CHARS_MAX) {
      throw problem('WEBHOOK_INVALID', 'Stripe-Signature is too long');
    }
    return this.bus.call(checkoutContract.webhook, {
      payload,
      ...(signature === undefined ? {} : { signature }),
    });
  }
}

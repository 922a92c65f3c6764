import { Controller } from '@nestjs/common';
import { checkoutContract, type ParsedRequestOf, paymentsContract } from '@svc/contracts';
import { Handle } from '@svc/platform';
import { CheckoutService } from './checkout.service.js';
import { TopUps } from './top-ups.js';
import { WebhookService } from './webhook.service.js';

@Controller()
export class CheckoutNatsController {
  constructor(
    private readonly checkouts: CheckoutService,
    private readonly webhooks: WebhookService,
    private readonly topUps: TopUps,
  ) {}

  @Handle(checkoutContract.prepay)
  prepay(request: ParsedRequestOf<typeof checkoutContract.prepay>) {
    return this.checkouts.prepay(request);
  }

  @Handle(checkoutContract.confirm)
  confirm({ sessionId, showKey }: ParsedRequestOf<typeof checkoutContract.confirm>) {
    return this.checkouts.confirm(sessionId, showKey);
  }

  @Handle(checkoutContract.topUp)
  topUp(request: ParsedRequestOf<typeof checkoutContract.topUp>) {
    return this.topUps.topUp(request);
  }

  @Handle(checkoutContract.webhook)
  webhook({ payload, signature }: ParsedRequestOf<typeof checkoutContract.webhook>) {
    return this.webhooks.handle(payload, signature);
  }

  @Handle(checkoutContract.purchaseLink)
  purchaseLink(request: ParsedRequestOf<typeof checkoutContract.purchaseLink>) {
    return this.checkouts.purchaseLink(request);
  }

  @Handle(paymentsContract.payee)
  payee() {
    return this.checkouts.payee();
  }

  @Handle(checkoutContract.catalog)
  catalog() {
    return this.checkouts.catalog();
  }
}

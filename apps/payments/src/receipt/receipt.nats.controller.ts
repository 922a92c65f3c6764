import { Controller, Inject } from '@nestjs/common';
import { receiptsContract, type ReplyOf } from '@svc/contracts';
import { Handle } from '@svc/platform';
import { RECEIPT_SETTINGS, type ReceiptSettings } from './receipt-config.js';

@Controller()
export class ReceiptNatsController {
  constructor(@Inject(RECEIPT_SETTINGS) private readonly settings: ReceiptSettings) {}

  @Handle(receiptsContract.keys)
  publicKeys(): ReplyOf<typeof receiptsContract.keys> {
    return { keys: this.settings.keys.published() };
  }

  @Handle(receiptsContract.did)
  did(): ReplyOf<typeof receiptsContract.did> {
    return this.settings.keys.document();
  }
}

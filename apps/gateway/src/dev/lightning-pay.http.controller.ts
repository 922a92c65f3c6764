import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { paymentsContract } from '@svc/contracts';
import { BusClient } from '@svc/platform';
import { z } from 'zod';

export const LightningPayRequest = z
  .strictObject({ invoice: z.string().min(1).max(4_096) })
  .meta({ id: 'LightningPayRequest' });
export type LightningPayRequest = z.output<typeof LightningPayRequest>;

/** The wallet of the sandbox: pays an invoice of its own Lightning node. Not mounted in production. */
@Controller('dev/lightning')
export class LightningPayHttpController {
  constructor(private readonly bus: BusClient) {}

  @Post('pay')
  @HttpCode(200)
  pay(@Body({ schema: LightningPayRequest }) { invoice }: LightningPayRequest) {
    return this.bus.call(paymentsContract.sandboxPay, { invoice });
  }
}

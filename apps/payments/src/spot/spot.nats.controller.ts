import { Controller } from '@nestjs/common';
import { type ParsedRequestOf, type ReplyOf, spotContract } from '@svc/contracts';
import { Handle } from '@svc/platform';
import { DataSource } from 'typeorm';
import { SpotPrices } from './spot-prices.js';

@Controller()
export class SpotNatsController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly prices: SpotPrices,
  ) {}

  @Handle(spotContract.spotPrices)
  async spotPrices({
    metal,
  }: ParsedRequestOf<typeof spotContract.spotPrices>): Promise<ReplyOf<typeof spotContract.spotPrices>> {
    return { items: await this.prices.newest(this.dataSource.manager, metal) };
  }
}

import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { CardMarket } from '@svc/comps';
import { SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
import { createHash } from 'node:crypto';
import type { RawSale } from './sales-csv.js';
import { SalesImporter } from './sales-importer.js';

/** Size of the market: enough to find something in and small enough that a start does not wait for it. */
const MARKET = { seed: 1986, cards: 300, salesPerCard: 12 } as const;
/** Variable that leaves the catalogue empty: `SANDBOX_CARD_MARKET=off`. */
const SWITCH = 'SANDBOX_CARD_MARKET';

/**
 * Cards to try with, where there are none: a generator's sales, marked as such in the database and in every answer. In
 * production there are none.
 */
@Injectable()
export class SandboxMarket implements OnApplicationBootstrap {
  constructor(
    private readonly importer: SalesImporter,
    @Inject(SERVICE_ENVIRONMENT) private readonly environment: ServiceEnvironment,
  ) {}

  /** A market that cannot be made is no reason not to start. */
  async onApplicationBootstrap(): Promise<void> {
    const { production, variables = process.env, logger } = this.environment;
    if (production || variables[SWITCH] === 'off') return;
    try {
      await this.seed(Date.now());
    } catch (error) {
      logger.warn({ reason: (error as Error).message }, 'The sandbox has no cards');
    }
  }

  private async seed(nowMs: number): Promise<void> {
    const { importer, environment } = this;
    if (await importer.hasCards()) return;
    const bodyDigest = createHash('sha256')
      .update(JSON.stringify({ ...MARKET, nowMs }))
      .digest('hex');
    const source = { source: 'market', by: { accountId: 'sandbox', keyId: 'sandbox' }, bodyDigest } as const;
    const made = await importer.seed(marketRows(nowMs), source, { nowMs, production: false });
    if (made) {
      const { accepted, newCards } = made;
      environment.logger.info(
        { cards: newCards, sales: accepted },
        'The sandbox has a synthetic card market',
      );
    }
  }
}

function marketRows(asOfMs: number): RawSale[] {
  const market = new CardMarket({ ...MARKET, asOfMs });
  return Array.from(market.sales(), sale => ({ ...sale, synthetic: true }));
}

import { Controller, Inject } from '@nestjs/common';
import {
  cardsContract,
  type CardValuationResult,
  type ParsedRequestOf,
  type ReplyOf,
  type SalesImport,
} from '@svc/contracts';
import { Handle, SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
import { CardCatalogue } from './card-catalogue.js';
import { CardValuationService } from './card-valuation.service.js';
import type { CheckTerms } from './checked-sale.js';
import { SalesImporter } from './sales-importer.js';
import { SalesQuarantine } from './sales-quarantine.js';

type Asked<P extends keyof typeof cardsContract> = ParsedRequestOf<(typeof cardsContract)[P]>;
type Answered<P extends keyof typeof cardsContract> = Promise<ReplyOf<(typeof cardsContract)[P]>>;

@Controller()
export class CardsNatsController {
  private readonly production: boolean;

  constructor(
    private readonly valuations: CardValuationService,
    private readonly catalogue: CardCatalogue,
    private readonly importer: SalesImporter,
    private readonly quarantined: SalesQuarantine,
    @Inject(SERVICE_ENVIRONMENT) { production }: ServiceEnvironment,
  ) {
    this.production = production;
  }

  @Handle(cardsContract.admit)
  async admit(request: Asked<'admit'>): Answered<'admit'> {
    await this.valuations.admit(request);
    return {};
  }

  @Handle(cardsContract.value)
  value(request: Asked<'value'>): Promise<CardValuationResult> {
    return this.valuations.value(request);
  }

  @Handle(cardsContract.search)
  async search({ q, limit }: Asked<'search'>): Answered<'search'> {
    return { items: await this.catalogue.search(q, limit, { synthetic: !this.production }) };
  }

  @Handle(cardsContract.importSales)
  importSales({ by, request }: Asked<'importSales'>): Promise<SalesImport> {
    return this.importer.import(by, request, this.terms());
  }

  @Handle(cardsContract.quarantine)
  quarantine({ by: _, ...page }: Asked<'quarantine'>): Answered<'quarantine'> {
    return this.quarantined.list(page);
  }

  @Handle(cardsContract.resolveQuarantine)
  resolveQuarantine(asked: Asked<'resolveQuarantine'>): Answered<'resolveQuarantine'> {
    return this.quarantined.resolve(asked, this.terms());
  }

  private terms(): CheckTerms {
    return { nowMs: Date.now(), production: this.production };
  }
}

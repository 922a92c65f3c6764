import { Controller, Inject } from '@nestjs/common';
import {
  accountContract,
  cardsContract,
  type CardValuationResult,
  type KeyHolder,
  type ParsedRequestOf,
  type ReplyOf,
  type SalesImport,
} from '@svc/contracts';
import { BusClient, Handle, SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
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
    private readonly bus: BusClient,
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
  async importSales({ accountKey, request }: Asked<'importSales'>): Promise<SalesImport> {
    return this.importer.import(await this.by(accountKey), request, this.terms());
  }

  @Handle(cardsContract.quarantine)
  async quarantine({ accountKey, ...page }: Asked<'quarantine'>): Answered<'quarantine'> {
    await this.by(accountKey);
    return this.quarantined.list(page);
  }

  @Handle(cardsContract.resolveQuarantine)
  async resolveQuarantine({
    accountKey,
    ...asked
  }: Asked<'resolveQuarantine'>): Answered<'resolveQuarantine'> {
    return this.quarantined.resolve(await this.by(accountKey), asked, this.terms());
  }

  /** Whose key an operator's call came with. @throws ProblemError UNKNOWN_CREDENTIAL, FORBIDDEN */
  private by(accountKey: string): Promise<KeyHolder> {
    return this.bus.call(accountContract.authenticate, { accountKey, scope: 'admin:sales' });
  }

  private terms(): CheckTerms {
    return { nowMs: Date.now(), production: this.production };
  }
}

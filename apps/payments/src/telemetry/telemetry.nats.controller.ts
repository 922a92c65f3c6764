import { Controller, type Provider } from '@nestjs/common';
import { type ParsedRequestOf, type ReplyOf, x402Contract } from '@svc/contracts';
import { DatabasePulse, Handle, SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
import { ClaimUpkeep } from '../reconcile/claim-upkeep.js';
import { TelemetryService } from './telemetry.service.js';
import { TreasuryFigures } from './treasury-figures.js';

@Controller()
export class TelemetryNatsController {
  constructor(
    private readonly service: TelemetryService,
    private readonly database: DatabasePulse,
  ) {}

  @Handle(x402Contract.telemetry)
  telemetry(
    request: ParsedRequestOf<typeof x402Contract.telemetry>,
  ): Promise<ReplyOf<typeof x402Contract.telemetry>> {
    this.database.assertPresent();
    return this.service.telemetry(request);
  }
}

export const TELEMETRY_CONTROLLERS = [TelemetryNatsController];

/** How often what was earned is added to the sums of its days, milliseconds. */
const COUNT_EVERY_MS = 5_000;

/** What sums the log and the ledger up. It hears of news by the providers of the log. */
export const TELEMETRY_PROVIDERS: Provider[] = [
  TelemetryService,
  TreasuryFigures,
  {
    provide: Symbol('TREASURY_UPKEEP'),
    inject: [TreasuryFigures, SERVICE_ENVIRONMENT],
    useFactory: (figures: TreasuryFigures, { logger }: ServiceEnvironment) =>
      new ClaimUpkeep(COUNT_EVERY_MS, { treasury: () => figures.count() }, logger),
  },
];

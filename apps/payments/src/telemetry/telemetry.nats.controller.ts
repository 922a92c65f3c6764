import { Controller, type Provider } from '@nestjs/common';
import { type ParsedRequestOf, type ReplyOf, x402Contract } from '@svc/contracts';
import { DatabasePulse, Handle } from '@svc/platform';
import { TelemetryService } from './telemetry.service.js';

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

/** What sums the log up. It hears of news by the providers of the log. */
export const TELEMETRY_PROVIDERS: Provider[] = [TelemetryService];

import { Controller } from '@nestjs/common';
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

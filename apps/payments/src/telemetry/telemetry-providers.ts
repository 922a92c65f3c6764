import type { Provider } from '@nestjs/common';
import { TelemetryNatsController } from './telemetry.nats.controller.js';
import { TelemetryService } from './telemetry.service.js';

export const TELEMETRY_CONTROLLERS = [TelemetryNatsController];

/** What sums the log up. It hears of news by the providers of the log. */
export const TELEMETRY_PROVIDERS: Provider[] = [TelemetryService];

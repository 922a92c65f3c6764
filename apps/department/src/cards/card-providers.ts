import type { Provider, Type } from '@nestjs/common';
import type { ServiceEnvironment } from '@svc/platform';
import { CardCatalogue } from './card-catalogue.js';
import { CardResolution } from './card-resolution.js';
import { CardValuationService } from './card-valuation.service.js';
import { CardsNatsController } from './cards.nats.controller.js';
import { ComparableSales } from './comparable-sales.js';
import { SalesImporter } from './sales-importer.js';
import { SalesQuarantine } from './sales-quarantine.js';
import { SalesStore } from './sales-store.js';
import { SandboxMarket } from './sandbox-market.js';

export const CARD_CONTROLLERS: readonly Type[] = [CardsNatsController];

export const cardProviders = (_environment: ServiceEnvironment): readonly Provider[] => [
  CardCatalogue,
  CardResolution,
  CardValuationService,
  ComparableSales,
  SalesImporter,
  SalesQuarantine,
  SalesStore,
  SandboxMarket,
];

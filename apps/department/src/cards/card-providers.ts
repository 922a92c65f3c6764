import type { Provider, Type } from '@nestjs/common';
import type { ServiceEnvironment } from '@svc/platform';

export const CARD_CONTROLLERS: readonly Type[] = [];

export const cardProviders = (_environment: ServiceEnvironment): readonly Provider[] => [];

import type { Provider, Type } from '@nestjs/common';
import type { ServiceEnvironment } from '@svc/platform';

export const BULLION_CONTROLLERS: readonly Type[] = [];

export const bullionProviders = (_environment: ServiceEnvironment): readonly Provider[] => [];

import type { Provider, Type } from '@nestjs/common';
import type { ServiceEnvironment } from '@svc/platform';

export const CERTIFICATE_CONTROLLERS: readonly Type[] = [];

export const certificateProviders = (_environment: ServiceEnvironment): readonly Provider[] => [];

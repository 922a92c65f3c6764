import type { Provider, Type } from '@nestjs/common';
import { OutgoingPost, Retention, type ServiceEnvironment } from '@svc/platform';
import { DataSource } from 'typeorm';
import { CallbackAdmission } from './callback-admission.js';
import { callbackKeysOf, type CallbackSettings, outgoingOf } from './callback-config.js';
import { CallbackKeys } from './callback-keys.js';
import { CallbackSender } from './callback-sender.js';
import { CallbacksNatsController } from './callbacks.nats.controller.js';
import { purgeCallbacks } from './task-callbacks.js';

const CALLBACK_RETENTION = Symbol('CALLBACK_RETENTION');
const PURGE_INTERVAL_MS = 600_000;
/** As long as tasks are kept. */
const KEPT_MS = 30 * 86_400_000;

export const CALLBACK_CONTROLLERS: readonly Type[] = [CallbacksNatsController];

/** What sends the callbacks of tasks. @throws ConfigError */
export const callbackProviders = (
  environment: ServiceEnvironment,
  settings?: CallbackSettings,
): Provider[] => [
  CallbackAdmission,
  CallbackSender,
  { provide: CallbackKeys, useFactory: () => callbackKeysOf(environment) },
  { provide: OutgoingPost, useFactory: () => outgoingOf(environment, settings) },
  {
    provide: CALLBACK_RETENTION,
    inject: [DataSource],
    useFactory: ({ manager }: DataSource) =>
      new Retention(
        PURGE_INTERVAL_MS,
        { callbacks: () => purgeCallbacks(manager, KEPT_MS) },
        environment.logger,
      ),
  },
];

import 'reflect-metadata';
import type { FactoryProvider } from '@nestjs/common';
import { expect, it } from '@jest/globals';
import { createLogger, Retention, SECRET_VARIABLES, type ServiceEnvironment } from '@svc/platform';
import type { LightningBackend } from './lightning/lightning-backend.js';
import { PaymentsModule } from './payments.module.js';

const SECRET = 'a-secret-of-the-tests-of-32-characters';

it('drops the answers that were kept long enough, in the service as it runs', async () => {
  const environment = {
    production: false,
    secrets: Object.fromEntries(SECRET_VARIABLES.map(name => [name, SECRET])),
    logger: createLogger('payments', { level: 'silent' }),
  } as unknown as ServiceEnvironment;
  const { providers = [] } = PaymentsModule.for(environment, { lightning: {} as LightningBackend });
  const provider = providers.find(each => 'provide' in each && each.provide === Retention);
  let rounds = 0;
  const store = { purgeResponses: () => Promise.resolve(++rounds) };
  const retention = (await (provider as FactoryProvider<Retention>).useFactory(store)) as Retention;
  await retention.purge();
  expect(rounds).toBe(1);
});

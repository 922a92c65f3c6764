// commit: ./card-payments.e2e.spec.ts, but for declined cards and its validator: two CPU seconds a run
// watches: libs/protocols/src
import { afterAll, beforeAll } from '@jest/globals';
import { type CardRoute, startCardRoute } from './card-fixture.js';
import { describeMppxCommand } from './mppx-command.cases.js';

let card: CardRoute;
beforeAll(async () => {
  card = await startCardRoute();
});
afterAll(() => card?.close());

describeMppxCommand(() => card, true);

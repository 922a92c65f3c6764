import { afterAll, beforeAll } from '@jest/globals';
import { describeLostTries } from './card-lost-tries.cases.js';
import { type CardRoute, startCardRoute, testAftermath } from './card-fixture.js';
import { describeCardRail } from './card-rail.cases.js';
import { describeCheckout } from './checkout.cases.js';
import { describeEscrow } from './escrow.cases.js';
import { describeMppxCommand } from './mppx-command.cases.js';
import { describePaymentReversals } from './payment-reversals.cases.js';
import { describeSubscription } from './subscription.cases.js';

let card: CardRoute;
beforeAll(async () => {
  card = await startCardRoute({ pace: 20 });
});
afterAll(() => card?.close());

// The first counts the processor's charges, of which it lists the last hundred.
describeLostTries(() => card);
describeCardRail(() => card);
describeCheckout(() => card);
describeEscrow(() => card);
describePaymentReversals(() => card);
describeSubscription(() => card);
describeMppxCommand(() => card, false);

testAftermath(() => card);

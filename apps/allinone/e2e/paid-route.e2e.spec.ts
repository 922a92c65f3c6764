import { afterAll, beforeAll, describe } from '@jest/globals';
import { describeAccountAdmin } from './account-admin.cases.js';
import { describeL402Bundles } from './l402-bundles.cases.js';
import { describeL402Clients } from './l402-clients.cases.js';
import { type PaidRoute, startPaidRoute } from './paid-route-fixture.js';
import { describePaidRoute } from './paid-route.cases.js';

let route: PaidRoute;
beforeAll(async () => {
  route = await startPaidRoute();
});
afterAll(() => route?.close());

describePaidRoute(() => route);
describeL402Clients(() => route);
describeAccountAdmin(() => route);

// What a bundle refuses is a payment that was none, and these are more than an address may show in a minute.
describe('beside many refusals', () => {
  let roomy: PaidRoute;
  beforeAll(async () => {
    roomy = await startPaidRoute({ limitFactor: 10 });
  });
  afterAll(() => roomy?.close());
  describeL402Bundles(() => roomy);
});

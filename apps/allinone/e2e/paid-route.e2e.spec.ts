import { afterAll, beforeAll } from '@jest/globals';
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
describeL402Bundles(() => route);
describeAccountAdmin(() => route);

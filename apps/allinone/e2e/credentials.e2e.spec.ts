import { afterAll, beforeAll } from '@jest/globals';
import { type AllRails, startAllRails } from './all-rails-fixture.js';
import { describeChangedCredentials } from './credentials.fuzz.cases.js';
import { describeDiscovery } from './discovery.cases.js';
import { describePaymentHistory } from './payment-history.cases.js';
import { describeReceipts } from './receipts.cases.js';
import { describeRefunds } from './refunds.cases.js';
import { describeSecrets } from './secrets.cases.js';
import { describeX402Payments } from './x402-clients.cases.js';

let rails: AllRails;
beforeAll(async () => {
  rails = await startAllRails({ isProxied: true, pace: 20, limitFactor: 100 });
});
afterAll(() => rails?.close());

// The history is of all that the rails and the books have. The next counts claims, of which the others leave some that change later.
describePaymentHistory(() => rails);
describeChangedCredentials(() => rails);
describeSecrets(() => rails);
describeReceipts(() => rails);
describeX402Payments(() => rails);
describeRefunds(() => rails);
// The last: it ends the processor and the chain.
describeDiscovery(() => rails);

import { afterAll, beforeAll } from '@jest/globals';
import { type AllRails, startAllRails } from './all-rails-fixture.js';
import { describeChangedCredentials } from './credentials.fuzz.cases.js';
import { describeDiscovery } from './discovery.cases.js';
import { describeSecrets } from './secrets.cases.js';
import { describeX402Payments } from './x402-clients.cases.js';

let rails: AllRails;
beforeAll(async () => {
  rails = await startAllRails({ isProxied: true, pace: 20, limitFactor: 100 });
});
afterAll(() => rails?.close());

// The first counts claims, of which the others leave some that change later.
describeChangedCredentials(() => rails);
describeSecrets(() => rails);
describeX402Payments(() => rails);
describeDiscovery(() => rails);

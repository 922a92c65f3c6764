import { afterAll, beforeAll, describe } from '@jest/globals';
import { departmentService } from '@svc/department';
import { meshSignallingService } from '@svc/mesh-signalling';
import { proverService } from '@svc/prover';
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { type CardRoute, startCardRoute } from './card-fixture.js';
import { describeCheckoutBrowser } from './checkout-browser.cases.js';
import { COI_VARIABLES, describeCoiBatches } from './coi-batches.cases.js';
import { describeMeshClient, MESH_VARIABLES } from './mesh-client.cases.js';
import { describeToolCalls } from './tool-calls.cases.js';
import { describeToolSagas } from './tool-sagas.cases.js';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);

let card: CardRoute;
let browser: Browser | undefined;
beforeAll(async () => {
  card = await startCardRoute({
    ...{ prover: proverService, department: departmentService, mesh: meshSignallingService },
    variables: { ...COI_VARIABLES, ...MESH_VARIABLES, SANDBOX_CARD_MARKET: 'off' },
  });
});
afterAll(async () => {
  await browser?.close();
  await card?.close();
});

describeToolCalls(() => card);
describeToolSagas(() => card);
describeCoiBatches(() => card.route);

describe('in a browser and beside it', () => {
  beforeAll(async () => {
    if (CHROMIUM) browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  });
  describeCheckoutBrowser(
    () => card,
    () => browser,
  );
  describeMeshClient(
    () => card.route,
    () => browser,
  );
});

import { afterAll, beforeAll } from '@jest/globals';
import { departmentService } from '@svc/department';
import { meshSignallingService } from '@svc/mesh-signalling';
import { freePort } from '@svc/platform';
import { proverService } from '@svc/prover';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeAgentPayments } from './agent-payments.cases.js';
import { type AllRails, startAllRails } from './all-rails-fixture.js';
import { describeArena } from './arena.cases.js';
import { RECEIVER_CERTIFICATE } from './callback-receiver.js';
import { describeDepartments } from './departments.cases.js';
import { describeDeskTools } from './desk-tools.cases.js';
import { describeKeyLimits } from './key-limits.cases.js';
import { describeLicenceFlow } from './licence-flow.cases.js';
import { describeMcpPayments } from './mcp-payments.cases.js';
import { describePublishedPatterns } from './published-patterns.cases.js';
import { describeTicketClients } from './ticket-clients.cases.js';
import { describeTopUps } from './top-ups.cases.js';
import { describeX402Binding } from './x402-binding.cases.js';
import { describeX402Clients } from './x402-clients.cases.js';

let folder: string;
let rails: AllRails;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paid-services-'));
  await writeFile(join(folder, 'ca.pem'), RECEIVER_CERTIFICATE);
  rails = await startAllRails({
    ...{ prover: proverService, department: departmentService, mesh: meshSignallingService },
    variables: {
      DEPARTMENT_PORT: String(await freePort()),
      ARENA_DAILY_SATS: '1000',
      CALLBACK_LOOPBACK: 'true',
      CALLBACK_CA_PATH: join(folder, 'ca.pem'),
    },
  });
});
afterAll(async () => {
  await rails?.close();
  await rm(folder, { recursive: true, force: true });
});

describeX402Clients(() => rails);
describeX402Binding(() => rails);
describeLicenceFlow(() => rails);
describeAgentPayments(() => rails);
describeMcpPayments(() => rails);
describeDeskTools(() => rails);
describeArena(() => rails.route);
describeDepartments(() => rails);
describeKeyLimits(() => rails);
describeTopUps(() => rails);
describePublishedPatterns(() => rails.route.address);
describeTicketClients(() => rails, ['mppx', 'l402 for axios']);

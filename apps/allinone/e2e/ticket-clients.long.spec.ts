// commit: ./paid-services.e2e.spec.ts
// watches: apps/payments/src/ticket
import { afterAll, beforeAll } from '@jest/globals';
import { proverService } from '@svc/prover';
import { type AllRails, startAllRails } from './all-rails-fixture.js';
import { describeTicketClients } from './ticket-clients.cases.js';

let rails: AllRails;
beforeAll(async () => {
  rails = await startAllRails({ prover: proverService });
});
afterAll(() => rails?.close());

describeTicketClients(() => rails);

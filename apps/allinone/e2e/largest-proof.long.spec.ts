// commit: ./proof-jobs.e2e.spec.ts
// watches: libs/engines/stark-prover/src, apps/prover/src
import { afterAll, beforeAll } from '@jest/globals';
import { type ProofServices, startProofServices } from './proof-service-fixture.js';
import { describeSoldProof } from './sold-proof.cases.js';

let services: ProofServices;
beforeAll(async () => {
  services = await startProofServices('memory', 1);
});
afterAll(() => services?.close());

// More than a megabyte of proof.
describeSoldProof(() => services, { degree: 2 ** 15, charactersMin: 1_400_000 });

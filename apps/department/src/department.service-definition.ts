import type { ServiceDefinition } from '@svc/platform';
import { soundDecoderFaults } from './bullion/sound-decoder.js';
import { callbackFaults } from './callbacks/callback-config.js';
import { directFaults } from './direct-address/direct-config.js';
import { speckleFaults } from './speckle/speckle-config.js';
import { departmentFaults } from './department-config.js';
import { DepartmentModule, type DepartmentParts } from './department.module.js';
import { Bullion1764000000000 } from './migrations/1764000000000-bullion.js';
import { CardSales1764001000000 } from './migrations/1764001000000-card-sales.js';
import { Certificates1764002000000 } from './migrations/1764002000000-certificates.js';
import { EventOutbox1764101000000, Tasks1764100000000 } from './migrations/1764100000000-tasks.js';
import { Uploads1768900100000 } from './migrations/1768900100000-uploads.js';
import { CoiBatches1764300000000 } from './migrations/1764300000000-coi-batches.js';
import { Arena1764200000000 } from './migrations/1764200000000-arena.js';
import { CountedTasks1764700000000 } from './migrations/1764700000000-counted-tasks.js';
import { Speckle1764800000000 } from './migrations/1764800000000-speckle.js';
import { KeyedDigests1766500000000 } from './migrations/1766500000000-keyed-digests.js';
import { SlabVerification1766600000000 } from './migrations/1766600000000-slab-verification.js';
import { EnrolmentsOfAccount1767400000000 } from './migrations/1767400000000-enrolments-of-account.js';
import { TaskCallbacks1764150000000 } from './migrations/1764150000000-task-callbacks.js';
import { TaskTurns1767600000000 } from './migrations/1767600000000-task-turns.js';
import { CardCurrencies1767800000000 } from './migrations/1767800000000-card-currencies.js';
import { CallerNames1767900000000 } from './migrations/1767900000000-caller-names.js';
import { OwedCalls1768400000000 } from './migrations/1768400000000-owed-calls.js';
import { CountedTaskRoom1767700000000 } from './migrations/1767700000000-counted-task-room.js';

export const departmentService: ServiceDefinition = {
  name: 'department',
  calls: ['prover', 'payments', 'snn', 'acoustic', 'mesh-signalling'],
  migrations: [
    Bullion1764000000000,
    CardSales1764001000000,
    Certificates1764002000000,
    Tasks1764100000000,
    EventOutbox1764101000000,
    TaskCallbacks1764150000000,
    Arena1764200000000,
    CoiBatches1764300000000,
    CountedTasks1764700000000,
    Speckle1764800000000,
    KeyedDigests1766500000000,
    SlabVerification1766600000000,
    EnrolmentsOfAccount1767400000000,
    TaskTurns1767600000000,
    CountedTaskRoom1767700000000,
    CardCurrencies1767800000000,
    CallerNames1767900000000,
    OwedCalls1768400000000,
    Uploads1768900100000,
  ],
  tableRights: {
    // What was recorded of genuine pieces, and by whom, stays on record.
    bullion_product: ['SELECT', 'INSERT'],
    bullion_enrolment: ['SELECT', 'INSERT'],
    bullion_challenge: ['SELECT', 'INSERT', 'UPDATE (used_at, used_by_digest)', 'DELETE'],
    // A file is what its digest says for as long as it is there.
    upload: ['SELECT', 'INSERT', 'DELETE'],
    coi_requirement_set: ['SELECT', 'INSERT', 'UPDATE (requirements, updated_at)'],
    // An audit stays as it was answered, and each decision about it as it was made.
    coi_audit: ['SELECT', 'INSERT'],
    coi_override: ['SELECT', 'INSERT'],
    coi_batch: ['SELECT', 'INSERT', 'UPDATE (cancelled_at, request_digest)', 'DELETE'],
    // Whose a slab is, and what was enrolled of it, stays on record; a digest that an earlier release wrote is keyed.
    speckle_slab: ['SELECT', 'INSERT'],
    speckle_enrolment: ['SELECT', 'INSERT', 'UPDATE (request_digest, sealed)'],
    // What was marked when figures were no longer told to everybody stays marked.
    speckle_exposed: ['SELECT'],
    // Who brought which sales in stays on record.
    card_import: ['SELECT', 'INSERT', 'UPDATE (body_digest)'],
    card: ['SELECT', 'INSERT', 'UPDATE (synthetic)'],
    card_sale: ['SELECT', 'INSERT', 'UPDATE'],
    card_quarantine: [
      'SELECT',
      'INSERT',
      'UPDATE (state, resolved_at, resolved_by, corrected, replaced, sale_id)',
    ],
  },
  configFaults: (known, variables) => [
    ...departmentFaults(known.secrets, variables),
    ...callbackFaults(known, variables),
    ...directFaults(known, variables),
    ...soundDecoderFaults(known, variables),
    ...speckleFaults(variables),
  ],
  module: environment => DepartmentModule.for(environment),
};

/** The service, with the parts that its caller gives. */
export const departmentServiceOf = (parts: DepartmentParts): ServiceDefinition => ({
  ...departmentService,
  module: environment => DepartmentModule.for(environment, parts),
});

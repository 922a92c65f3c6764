import { accountRecoveryContract } from '../account-recovery.contract.js';
import { accountContract } from '../account.contract.js';
import { acousticContract } from '../acoustic.contract.js';
import { adminContract, spotContract } from '../admin.contract.js';
import { arenaContract } from '../arena.contract.js';
import { auditContract } from '../audit.contract.js';
import { bullionContract } from '../bullion.contract.js';
import { cardsContract } from '../cards.contract.js';
import { certificatesContract } from '../certificates.contract.js';
import { coiBatchContract } from '../coi-batches.contract.js';
import { checkoutContract } from '../credits.contract.js';
import { departmentTaskContract } from '../department-task.contract.js';
import { escrowContract } from '../escrow.contract.js';
import { executionProofContract } from '../execution-proof.contract.js';
import { pingProcedure } from '../health.contract.js';
import { l402BundleContract } from '../l402-bundle.contract.js';
import { leadsContract } from '../leads.contract.js';
import { licencesContract } from '../licences.contract.js';
import { meshContract } from '../mesh.contract.js';
import { paymentsContract } from '../payments.contract.js';
import { type Procedure, SERVICES } from '../procedure.js';
import { proofJobContract } from '../proof-job.contract.js';
import { proverContract } from '../prover.contract.js';
import { receiptsContract } from '../receipts.contract.js';
import { refundsContract } from '../refunds.contract.js';
import { snnContract } from '../snn.contract.js';
import { speckleContract } from '../speckle.contract.js';
import { starkProveContract } from '../stark-prove.contract.js';
import { toolCallContract } from '../tool-call.contract.js';
import { uploadsContract } from '../uploads.contract.js';
import { x402Contract } from '../x402.contract.js';

const CONTRACTS = [
  ...[
    accountContract,
    accountRecoveryContract,
    acousticContract,
    adminContract,
    arenaContract,
    auditContract,
    bullionContract,
    cardsContract,
  ],
  ...[certificatesContract, checkoutContract, coiBatchContract, departmentTaskContract, escrowContract],
  executionProofContract,
  ...[l402BundleContract, leadsContract, licencesContract, meshContract, paymentsContract],
  ...[proofJobContract, proverContract],
  ...[receiptsContract, refundsContract],
  ...[snnContract, speckleContract, spotContract, starkProveContract, toolCallContract, uploadsContract],
  x402Contract,
];

const isProcedure = (value: object): value is Procedure => 'subject' in value && 'reply' in value;

/** The procedures of a contract, also of one that has them by service. */
export function proceduresOf(contract: object): Procedure[] {
  return Object.values(contract).flatMap((member: object) =>
    isProcedure(member) ? [member] : proceduresOf(member),
  );
}

/** Every request/reply subject of the bus, by subject: what each service answers, its ping included. */
export const PROCEDURES: readonly Procedure[] = [
  ...CONTRACTS.flatMap(proceduresOf),
  ...SERVICES.map(pingProcedure),
].sort((a, b) => (a.subject < b.subject ? -1 : 1));

import { Inject, Injectable } from '@nestjs/common';
import { type ExecutionProof, executionProofContract, M2M_CONTRACT_CONTEXT, TOOLS } from '@svc/contracts';
import {
  type JsonObject,
  type LocalStep,
  type RemoteStep,
  type StepContext,
  StepFailed,
  type StepOutcome,
  type StoredSaga,
} from '@svc/durability';
import { BusClient, parseOrProblem, problem } from '@svc/platform';
import type { EntityManager } from 'typeorm';
import type { SagaSeed, TicketFacts, ToolSaga } from '../execute/tool-saga.js';
import { LICENCE_KEYS, type LicenceKeys } from '../licence/licence-keys.js';
import { TicketHolds } from '../ticket/ticket-holds.js';
import { fourStepSaga } from '../tool/four-step-saga.js';
import { askEffect } from '../tool/remote-effect.js';
import { failOnDemand } from '../tool/saga-failure.js';
import { M2mAnswers } from './m2m-answers.js';
import { contractBytes, contractOf } from './m2m-contract.js';
import { M2mContracts } from './m2m-contracts.js';

type Begin = Parameters<ToolSaga['begin']>[1];

const TOOL = 'm2m_license_contract';
/** A key that no effect has: asked about to see whether the prover answers. */
const NO_EFFECT = '0'.repeat(64);
const { input: INPUT } = TOOLS[TOOL];

/**
 * Sells a licence between machines: holds the price, enters the sale in the licensee's contract, has the contract proved,
 * and settles with a signed token; or none of it. The token is not kept: it is signed from the entry, and comes out the
 * same.
 */
@Injectable()
export class M2mLicenseSaga implements ToolSaga {
  readonly tool = TOOL;
  readonly definition;

  constructor(
    holds: TicketHolds,
    private readonly contracts: M2mContracts,
    @Inject(LICENCE_KEYS) private readonly keys: LicenceKeys,
    private readonly bus: BusClient,
    private readonly answers: M2mAnswers,
  ) {
    this.definition = fourStepSaga(holds, {
      tool: TOOL,
      work: this.contractStep(),
      prove: this.proveStep(),
      beforeMoney: (context, stepNumber) => failOnDemand(context, stepNumber, false),
      settled: (tx, context) => this.settle(tx, context),
      takenBack: (tx, sagaId) => this.contracts.void(tx, sagaId),
      starkRootOf: ({ prove }) => prove.starkRoot as string,
    });
  }

  async admit(input: unknown): Promise<void> {
    const { simulateFault, faultStep } = parseOrProblem(INPUT, input);
    if (faultStep !== undefined && simulateFault !== true) {
      throw problem('VALIDATION_FAILED', 'faultStep goes with simulateFault: true', {
        errors: [{ path: 'faultStep', message: 'goes with simulateFault: true', got: faultStep }],
      });
    }
    if (this.keys.currentKid(Date.now()) === undefined)
      throw problem('SERVICE_UNAVAILABLE', 'No key may sign licences today', { retryAfterSeconds: 3_600 });
    // With the prover away the sale would be taken back, or wait for it: better not to begin it.
    await this.bus.call(executionProofContract.executionOutcome, { idemKey: NO_EFFECT });
  }

  async begin(tx: EntityManager, { sagaId, input, ticket }: Begin): Promise<SagaSeed> {
    const asked = parseOrProblem(INPUT, input);
    const entry = await this.contracts.claim(tx, {
      sagaId,
      ticketId: ticket.ticketId,
      licensee: asked.licenseeAgentId,
      tier: asked.licensingTier,
      capability: asked.capability === undefined || asked.capability === '' ? null : asked.capability,
      amountMicroUsd: ticket.amountMicroUsd,
      ...(asked.contractId === undefined ? {} : { contractId: asked.contractId }),
      ...(asked.streamIndex === undefined ? {} : { streamIndex: asked.streamIndex }),
    });
    const { contract: contractId, streamIndex, capability } = entry.licence;
    const resolved = { ...asked, contractId, streamIndex, capability };
    return { input: resolved, logged: {}, kept: { input: asked, contract: contractOf(entry) } };
  }

  answer(saga: StoredSaga, ticket: TicketFacts): Promise<JsonObject> {
    return this.answers.of(saga, ticket);
  }

  private contractStep(): LocalStep<EntityManager> {
    return {
      name: 'contract',
      kind: 'local',
      run: async (tx, context) => {
        failOnDemand(context, 2, false);
        await this.contracts.activate(tx, context.sagaId);
        return { logged: {} };
      },
      undo: async (tx, { sagaId }) => {
        await this.contracts.void(tx, sagaId);
        return { logged: {} };
      },
    };
  }

  private proveStep(): RemoteStep {
    return {
      name: 'prove',
      kind: 'remote',
      run: async context => {
        // As if the prover had been asked, and nobody knew what became of it: its tombstone must stand.
        failOnDemand(context, 3, true);
        const { idemKey, kept, signal } = context;
        const statement = contractBytes(kept.contract as JsonObject);
        const request = { idemKey, statement, contextDomain: M2M_CONTRACT_CONTEXT };
        return proved(await askEffect(this.bus, executionProofContract.proveExecution, request, signal));
      },
      ask: async ({ idemKey, signal }) => {
        const { proof } = await askEffect(
          this.bus,
          executionProofContract.executionOutcome,
          { idemKey },
          signal,
        );
        return proof && proved(proof);
      },
      undo: async ({ forwardIdemKey: idemKey, signal }) => {
        const { was } = await this.bus.call(executionProofContract.revokeExecution, { idemKey }, { signal });
        return { logged: { was } };
      },
    };
  }

  private async settle(tx: EntityManager, { sagaId, committed }: StepContext): Promise<JsonObject> {
    const entry = await this.contracts.ofSaga(tx, sagaId);
    if (!entry) throw new RangeError(`saga ${sagaId} has no sale`);
    const kid = this.keys.currentKid(entry.licence.iat * 1_000);
    // The key that signed then was given up meanwhile: what it would sign is believed by nobody.
    if (kid === undefined)
      throw new StepFailed('SERVICE_UNAVAILABLE', 'No key may sign the licence any more', false);
    const { proofId, starkRoot } = committed.prove as { proofId: string; starkRoot: string };
    await this.contracts.settle(tx, sagaId, { proofId, starkRoot, kid });
    return { jti: entry.licence.jti, kid };
  }
}

const proved = ({ proofId, starkRoot }: ExecutionProof): StepOutcome => ({ logged: { proofId, starkRoot } });

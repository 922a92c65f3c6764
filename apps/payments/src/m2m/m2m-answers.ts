import { Inject, Injectable, Optional } from '@nestjs/common';
import type { AuditRule } from '@svc/contracts';
import type { JsonObject, StoredSaga } from '@svc/durability';
import { PRICE_LIST, usdText } from '@svc/protocols';
import { DataSource } from 'typeorm';
import type { TicketFacts } from '../execute/tool-saga.js';
import { WAL_EVIDENCE, type WalEvidence } from '../execute/wal-evidence.js';
import { walEventsOf, walHashOf } from '../execute/wal-events.js';
import { LICENCE_KEYS, type LicenceKeys } from '../licence/licence-keys.js';
import { AnswerEvidence } from '../tool/answer-evidence.js';
import { failureOf, failureProblem, keptOf, SIMULATED_FAULT } from '../tool/saga-failure.js';
import { grantOf } from './m2m-contract.js';
import { M2mContracts, type M2mEntry } from './m2m-contracts.js';
import { grantEnd, M2M_TIERS, type M2mTier } from './m2m-tier.js';

const TOOL = 'm2m_license_contract';
const RULESET = 'm2m-license/v1';
/** Rules compare numbers below 2^49: more than so many between two indices counts as so many. */
const STRIDE_COUNTED_MAX = 1_000_000_000;
const DOES_NOT_PROVE =
  'That the licensee is who it says, or that the capability exists; the log of the saga is checked with its hashes, and ' +
  'the contract with its own proof.';

/** The answers of licence sales, made from the log, the book of contracts, and the signing keys. */
@Injectable()
export class M2mAnswers {
  constructor(
    private readonly contracts: M2mContracts,
    @Inject(LICENCE_KEYS) private readonly keys: LicenceKeys,
    private readonly dataSource: DataSource,
    private readonly evidence: AnswerEvidence,
    @Optional() @Inject(WAL_EVIDENCE) private readonly wal?: WalEvidence,
  ) {}

  /** @throws ProblemError the failure of a saga that failed for real; EXPIRED; SERVICE_UNAVAILABLE */
  async of(saga: StoredSaga, { amountMicroUsd }: TicketFacts): Promise<JsonObject> {
    const { input, contract } = keptOf(saga);
    const isSimulated = failureOf(saga)?.code === SIMULATED_FAULT;
    if (saga.state === 'COMPENSATED' && isSimulated) return this.compensated(saga);
    if (saga.state !== 'COMPLETED') throw failureProblem(saga);
    const entry = await this.contracts.ofSaga(this.dataSource.manager, saga.sagaId);
    if (entry?.kid === undefined) throw new RangeError(`saga ${saga.sagaId} completed without a sale`);
    const { transactionId } = committedOf(saga, 'settle');
    const answer: JsonObject = {
      ...logOf(saga),
      contractId: entry.licence.contract,
      m2mLicenseToken: this.keys.signM2m({ ...entry.licence, kid: entry.kid }),
      starkExecutionProof: entry.proofId!,
      settlementTreasury: transactionId === undefined ? '' : `treasury:${String(transactionId)}`,
      starkRoot: entry.starkRoot!,
      contract,
      grant: grantOf(entry),
      ...this.checkpoint(),
    };
    return this.evidence.with(answer, {
      request: input,
      proves: 'rules',
      doesNotProve: DOES_NOT_PROVE,
      rulesetId: RULESET,
      rules: rulesOf(entry, amountMicroUsd),
    });
  }

  /** Nothing was sold: there is no evidence but the log, and nothing to name. */
  private compensated(saga: StoredSaga): JsonObject {
    const { step, code } = failureOf(saga)!;
    const { contractId } = saga.kept.contract as JsonObject;
    const none = { m2mLicenseToken: '', starkExecutionProof: '', settlementTreasury: '', starkRoot: '' };
    const sale = { contractId, ...none, contract: saga.kept.contract, fault: { step, code } };
    return { ...logOf(saga), ...sale, ...this.checkpoint() };
  }

  /** The newest one, which is not of this saga yet: what it covers nobody can change any more. */
  private checkpoint(): JsonObject {
    const checkpoint = this.wal?.newestCheckpoint();
    return checkpoint ? { checkpoint: checkpoint as unknown as JsonObject } : {};
  }
}

/** What an answer says of the saga itself. */
function logOf({ sagaId, state, name, records }: StoredSaga): JsonObject {
  const [first, last] = [records[0], records.at(-1)!];
  return {
    sagaId,
    status: state,
    sagaName: name,
    walHash: walHashOf(records),
    walCount: records.length,
    walEvents: walEventsOf(records) as unknown as JsonObject[],
    executionTimeMs: Date.parse(last.at) - Date.parse(first.at),
  };
}

const committedOf = ({ records }: StoredSaga, step: string): JsonObject =>
  records.find(record => record.kind === 'STEP_COMMIT' && record.step === step)?.payload ?? {};

function rulesOf({ licence, lastStreamIndex = -1 }: M2mEntry, amountMicroUsd: number): AuditRule[] {
  const { streamIndex, iat, exp, nodesMax } = licence;
  const grant = M2M_TIERS[licence.tier as M2mTier];
  const price = PRICE_LIST.find(({ operationId }) => operationId === `tool.${TOOL}`)!;
  const ends = grantEnd(grant, iat);
  const whole = { decimals: 0 };
  return [
    {
      id: 'stream-index-increases',
      statement: `The stream index is above the last that stood under the contract (-1: none did) by at least 1, counted to ${STRIDE_COUNTED_MAX}`,
      ...whole,
      value: String(Math.min(streamIndex - lastStreamIndex, STRIDE_COUNTED_MAX)),
      threshold: '1',
    },
    {
      id: 'price-paid',
      statement: 'US dollars that were paid are at least the price of the tool',
      decimals: 6,
      value: usdText(amountMicroUsd),
      threshold: price.priceUsd,
    },
    {
      id: 'tier-grant',
      statement:
        'Seconds for which the licence holds are at least those of its tier (0: both are without end)',
      ...whole,
      value: String(exp === null ? 0 : exp - iat),
      threshold: String(ends === null ? 0 : ends - iat),
    },
    {
      id: 'tier-nodes',
      statement: 'Nodes that may use the licence are at least those of its tier',
      ...whole,
      value: String(nodesMax),
      threshold: String(grant.nodesMax),
    },
  ];
}

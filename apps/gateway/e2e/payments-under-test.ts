import { Controller, type Type } from '@nestjs/common';
import {
  type Account,
  accountContract,
  type ChallengeReply,
  type ClaimHandle,
  type ClaimReply,
  type KeyHolder,
  type ParsedRequestOf,
  type PaymentCredit,
  type PaymentInFlight,
  paymentsContract,
  type ProofJob,
  proofJobContract,
  proverContract,
  type ProveReply,
  type Purse,
  type ReplyOf,
  type SaleReply,
} from '@svc/contracts';
import { Handle, problem } from '@svc/platform';
import { keyReceipt, priceOf } from '@svc/protocols';

type Sell = ParsedRequestOf<typeof paymentsContract.sell>;
type Deliver = ParsedRequestOf<typeof paymentsContract.deliver>;

/** What the payments service does to one request after another; each list is used up from its start. */
export interface PaymentsScript {
  /** Problems that claims are refused with before one is claimed. */
  claimFaults: Error[];
  /** Problems that deliveries are refused with before one is recorded. */
  deliverFaults: Error[];
  /** What answers say of their delivery. */
  deliveryHeaders?: Record<string, string>;
  /** Whether the payer may give the work up. */
  canBeGivenUp: boolean;
  /** What a claim that is made has beside a receipt. */
  claimMembers: Partial<Extract<ClaimReply, { outcome: 'claimed' }>>;
  /** What sales leave, and claims once it is set: calls may be answered before they are paid for. */
  purse?: Purse;
  /** What sales come to before one is sold: a fault, or another outcome. */
  saleOutcomes: (Error | Exclude<SaleReply, { outcome: 'sold' }>)[];
  readonly sold: Sell[];
  /** What a payment has bought already: claims give it again. */
  bought?: Deliver['response'];
  /** Faults of the next releases, which may have been done. */
  releaseFaults: Error[];
  /** What challenges offer beside Lightning. */
  moreOffers?: ChallengeReply['offers'];
  /** Operations whose price those rails do not take. */
  withoutMoreOffers: readonly string[];
  /** What a payer is told to have after a call that failed. */
  creditAfterRelease?: PaymentCredit;
  /** Audits that the balance of every key buys. */
  credits: number;
  /** Requests of the month that are left to every caller. */
  requestsLeft: number;
  readonly counted: ParsedRequestOf<typeof paymentsContract.count>[];
  readonly uncounted: unknown[];
  /** So many of the next calls that take a count back fail. */
  uncountFaults: number;
  readonly challenged: ParsedRequestOf<typeof paymentsContract.challenge>[];
  readonly authenticated: unknown[];
  readonly claimed: unknown[];
  /** Answers that were asked for by the ids of their claims. */
  readonly reread: unknown[];
  readonly delivered: Deliver[];
  readonly released: unknown[];
  readonly heartbeats: (readonly ClaimHandle[])[];
  readonly realms: string[];
}

/** A key that is none of ours, and the holder of every other one. */
export const BAD_KEY = 'svc_test_none';
/** Of an account that came of what a payment left over. */
export const DERIVED_KEY = 'svc_test_derived';
export const HOLDER: KeyHolder = {
  accountId: `acct_${'a'.repeat(20)}`,
  keyId: 'k'.repeat(16),
  plan: 'developer',
  scopes: [],
};

/** Of an operator who may begin the document of the mesh anew. */
export const MESH_KEY = 'svc_test_mesh';

const CLAIMED = {
  outcome: 'claimed',
  claimId: '6b0d3c1e-5f3a-4b7e-9a57-2f1d8c1f6e10',
  attempt: 3,
  receipt: {
    rail: 'l402',
    reference: 'paid',
    amountMicroUsd: 1_000,
    amountSats: 2,
    timestamp: '2026-04-02T00:00:00.000Z',
    headers: { 'Payment-Receipt': 'receipt-under-test' },
  },
  canBeGivenUp: true,
} satisfies ClaimReply;

const freshScript = (): PaymentsScript => ({
  canBeGivenUp: true,
  claimMembers: {},
  deliveryHeaders: undefined,
  purse: undefined,
  saleOutcomes: [],
  sold: [],
  bought: undefined,
  ...{ moreOffers: undefined, withoutMoreOffers: [] },
  creditAfterRelease: undefined,
  credits: 0,
  requestsLeft: 1_000,
  counted: [],
  uncounted: [],
  uncountFaults: 0,
  challenged: [],
  authenticated: [],
  claimFaults: [],
  deliverFaults: [],
  releaseFaults: [],
  claimed: [],
  reread: [],
  delivered: [],
  released: [],
  heartbeats: [],
  realms: [],
});

/**
 * A payments service that claims every payment, but for the faults of its script. `begin` makes the script that of a
 * service which nobody has asked yet.
 */
export function scriptedPayments() {
  const script = freshScript();
  @Controller()
  class PaymentsUnderTest {
    @Handle(paymentsContract.challenge)
    challenge(request: ParsedRequestOf<typeof paymentsContract.challenge>): ChallengeReply {
      script.challenged.push(request);
      script.realms.push(request.realm);
      return {
        challengeToken: 'v1.under.test',
        amountMicroUsd: 1_000,
        amountSats: 2,
        expiresAt: '2026-04-02T00:00:00.000Z',
        offers: [
          { rail: 'l402', scheme: 'L402', wwwAuthenticate: 'L402 macaroon="m", invoice="i"' },
          ...(script.withoutMoreOffers.includes(request.operationId) ? [] : (script.moreOffers ?? [])),
        ],
      };
    }

    @Handle(paymentsContract.claim)
    claim(request: ParsedRequestOf<typeof paymentsContract.claim>): ClaimReply {
      script.claimed.push(request);
      const fault = script.claimFaults.shift();
      if (fault) throw fault;
      const { bought } = script;
      if (bought) return { outcome: 'replayed', response: bought, receipt: CLAIMED.receipt };
      const { canBeGivenUp, purse } = script;
      return { ...CLAIMED, canBeGivenUp, ...(purse ? { purse } : {}), ...script.claimMembers };
    }

    @Handle(paymentsContract.sell)
    sell(request: Sell): SaleReply {
      script.sold.push(request);
      const outcome = script.saleOutcomes.shift();
      if (outcome instanceof Error) throw outcome;
      if (outcome) return outcome;
      const { claimId, soldAt, operationId } = request;
      const receipt = keyReceipt(claimId, priceOf(operationId), soldAt);
      return { outcome: 'sold', receipt, purse: script.purse! };
    }

    @Handle(paymentsContract.heartbeat)
    heartbeat({ claims }: ParsedRequestOf<typeof paymentsContract.heartbeat>) {
      script.heartbeats.push(claims);
      return { held: claims.map(({ claimId }) => claimId) };
    }

    @Handle(paymentsContract.deliver)
    deliver(request: Deliver): ReplyOf<typeof paymentsContract.deliver> {
      script.delivered.push(request);
      const fault = script.deliverFaults.shift();
      if (fault) throw fault;
      return { deliveredAt: '2026-04-02T00:00:00.000Z', headers: script.deliveryHeaders };
    }

    @Handle(paymentsContract.release)
    release(request: ParsedRequestOf<typeof paymentsContract.release>) {
      script.released.push(request);
      const fault = script.releaseFaults.shift();
      if (fault) throw fault;
      return { released: true, credit: script.creditAfterRelease };
    }
  }
  const begin = () => void Object.assign(script, freshScript());
  return { script, begin, controllers: [PaymentsUnderTest, keysUnderTest(script)] };
}

/** The part of it that knows keys, counts and rails. */
function keysUnderTest(script: PaymentsScript): Type {
  @Controller()
  class KeysUnderTest {
    @Handle(paymentsContract.count)
    count(request: ParsedRequestOf<typeof paymentsContract.count>) {
      if (request.accountKey === BAD_KEY) throw problem('UNKNOWN_CREDENTIAL', 'The key is not known');
      script.counted.push(request);
      const isLeft = script.requestsLeft > 0;
      if (isLeft) script.requestsLeft--;
      const quota = { plan: 'demo' as const, limit: 1_000, used: 1_000 - script.requestsLeft };
      return {
        outcome: isLeft ? ('counted' as const) : ('over' as const),
        subject: request.accountKey === undefined ? `address:${request.address}` : 'account:acct',
        quota: { ...quota, resetsAt: '2100-02-01T00:00:00.000Z' },
      };
    }

    @Handle(paymentsContract.uncount)
    uncount(request: ParsedRequestOf<typeof paymentsContract.uncount>) {
      if (script.uncountFaults-- > 0) throw problem('SERVICE_UNAVAILABLE', 'Away');
      script.uncountFaults = 0;
      script.uncounted.push(request);
      script.requestsLeft++;
      return {};
    }

    @Handle(paymentsContract.boughtAnswer)
    boughtAnswer(request: ParsedRequestOf<typeof paymentsContract.boughtAnswer>): Deliver['response'] {
      script.reread.push(request);
      if (script.bought) return script.bought;
      throw problem('NOT_FOUND', 'No such answer');
    }

    @Handle(accountContract.authenticate)
    authenticate(request: ParsedRequestOf<typeof accountContract.authenticate>): KeyHolder {
      script.authenticated.push(request);
      if (request.accountKey === BAD_KEY) throw problem('UNKNOWN_CREDENTIAL', 'The key is not known');
      if (request.accountKey === MESH_KEY && request.scope === 'admin:mesh')
        return { ...HOLDER, scopes: [request.scope] };
      if (request.scope) throw problem('FORBIDDEN', `The key has not the scope ${request.scope}`);
      return request.accountKey === DERIVED_KEY ? { ...HOLDER, plan: 'demo', isDerived: true } : HOLDER;
    }

    @Handle(accountContract.account)
    account({ by }: ParsedRequestOf<typeof accountContract.account>): Account {
      const { accountId, plan } = by;
      const quota = { limit: 1_000, used: 0, resetsAt: '2100-02-01T00:00:00.000Z' };
      const balanceMicroUsd = script.credits * 250_000;
      return {
        accountId,
        plan,
        planState: 'active',
        balanceMicroUsd,
        credits: script.credits,
        quota,
        keys: [],
      };
    }

    @Handle(paymentsContract.rails)
    rails() {
      return { rails: ['l402', ...(script.moreOffers ?? []).map(({ rail }) => rail)], sandbox: true };
    }
  }
  return KeysUnderTest;
}

/** Id of the job that {@link countingProver} knows of. */
export const JOB_ID = `job_${'J'.repeat(22)}`;

/** What the prover does to one request after another; each list is used up from its start. */
export interface ProverScript {
  /** Problems that calls for a proof are refused with before one is answered. */
  proveFaults: Error[];
  /** Problems that questions for the events of a job are refused with before one is answered. */
  eventFaults: Error[];
  /** What a proof takes. */
  working?: Promise<void>;
}

/** A prover that answers at once and counts, and whose jobs fail, but for the faults of its script. */
export function countingProver() {
  const freshScript = (): ProverScript => ({ proveFaults: [], eventFaults: [], working: undefined });
  const freshCount = () => ({ proved: 0, jobs: [] as unknown[], holdersAsked: [] as unknown[] });
  const [script, count] = [freshScript(), freshCount()];
  const begin = () => {
    Object.assign(script, freshScript());
    Object.assign(count, freshCount());
  };
  const failed: ProofJob = {
    ...{ jobId: JOB_ID, operationId: 'zk.prove', state: 'failed', payment: 'returned' },
    ...{ stagesDone: 0, stageCount: 9, createdAt: '2026-04-02T00:00:00.000Z' },
    problem: { code: 'UNPROCESSABLE', detail: 'The job has failed' },
  };
  @Controller()
  class CountingProver {
    @Handle(proverContract.admit)
    admit() {
      return { traceLength: 8, memoryBytes: 1 };
    }

    @Handle(proverContract.prove)
    async prove(): Promise<ProveReply> {
      await script.working;
      count.proved++;
      const fault = script.proveFaults.shift();
      if (fault) throw fault;
      return PROVED;
    }

    @Handle(proofJobContract.startJob)
    startJob({ claim }: ParsedRequestOf<typeof proofJobContract.startJob>): ProofJob {
      count.jobs.push(claim);
      return failed;
    }

    @Handle(proofJobContract.jobEvents)
    jobEvents() {
      const fault = script.eventFaults.shift();
      if (fault) throw fault;
      return { events: [], ended: true };
    }

    @Handle(proofJobContract.job)
    job(): ProofJob {
      return failed;
    }

    @Handle(proofJobContract.jobOfClaim)
    jobOfClaim(claim: ParsedRequestOf<typeof proofJobContract.jobOfClaim>): PaymentInFlight {
      count.holdersAsked.push(claim);
      return { jobId: count.holdersAsked.length === 1 ? JOB_ID : undefined };
    }
  }
  return { script, count, begin, controllers: [CountingProver] };
}

const ROOT = `0x${'00'.repeat(32)}`;
const PROVED: ProveReply = {
  proofRootHash: ROOT,
  verificationLatencyMs: 0,
  fieldOps: 1,
  primeField: '2^64 - 2^32 + 1',
  status: 'VERIFIED_VALID',
  proofId: 'prf_AAAAAAAAAAAAAAAAAAAAAA',
  airId: 'hash-chain/v1',
  publicInputs: {},
  starkRootCommitment: ROOT,
  securityBits: 1,
  conjecturedSecurityBits: 1,
  parameterSet: 'test',
  proverLatencyMs: 0,
  proofBytes: 1,
  friQueryProofBytes: 0,
  degree: 8,
  friBlowup: 8,
  traceLength: 8,
  proves: 'computation',
  doesNotProve: 'anything: this is a test',
  proof: Uint8Array.of(1),
};

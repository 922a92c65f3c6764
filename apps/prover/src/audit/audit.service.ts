import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import {
  applyRule,
  type AuditProof as EngineAuditProof,
  type AuditStatement,
  auditedPart,
  canonicalDigest,
  INNER_LEAVES_MAX,
  leafCountOf,
  RuleValueError,
  toHex,
} from '@svc/audit-proof';
import type { auditContract, AuditProof, AuditRule, ParsedRequestOf, StarkAuditProof } from '@svc/contracts';
import { problem, SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
import type { WasmBackend } from '@svc/stark-prover/node';
import { CoreTurns } from '../core-turns.js';
import { AuditBatcher, type ItemSize, leavesOf } from './audit-batcher.js';
import {
  AUDIT_BACKEND,
  BatchProof,
  LONG_BATCH_LEAVES,
  SHORT_BATCH_LEAVES,
  SIGNED_BATCH_LEAVES,
} from './batch-proof.js';

/** Leaves of one caller that may wait: what some ten batches take; of all, twice as many. */
const WAITING_LEAVES_MAX = 128;

type AttestRequest = ParsedRequestOf<typeof auditContract.attestAll>['answers'][number];
type AttestCall = ParsedRequestOf<typeof auditContract.attest>;
type Batcher = Pick<AuditBatcher<readonly AuditStatement[], unknown, EngineAuditProof[]>, 'add' | 'drain'>;

/** An answer to give evidence for. */
export interface AuditedAnswer {
  readonly proves: AuditStatement['proves'];
  readonly doesNotProve: string;
  /** As the caller sent it, defaults filled in. */
  readonly request: unknown;
  /** As the caller gets it, without the evidence. */
  readonly result: unknown;
  readonly rulesetId?: string;
  readonly rules?: readonly AuditRule[];
}

/** An answer of this service that is a proof. */
interface ProvedReply {
  readonly proof: Uint8Array;
  readonly proves: 'computation';
  readonly doesNotProve: string;
}

/**
 * Evidence for answers, of this service and of the others: committed to in batches, each proved, signed and kept, or signed alone
 * for free answers.
 */
@Injectable()
export class AuditService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly paid: Batcher = new AuditBatcher(
    {
      ...{ shortCapacity: SHORT_BATCH_LEAVES, longCapacity: LONG_BATCH_LEAVES },
      innerCapacity: INNER_LEAVES_MAX,
      inTurn: make => this.cores.run('audits', make),
      waitingMax: WAITING_LEAVES_MAX,
    },
    {
      make: async calls => ({ proved: await this.batches.prove(calls.flat()), sizes: calls.map(sizeOf) }),
      complete: async ({ proved, sizes }) => regrouped(await this.batches.complete(proved), sizes),
    },
  );
  /** Batches of their own: a signature each, no proof, and nothing in the database. */
  private readonly free: Batcher = new AuditBatcher(
    {
      ...{ shortCapacity: SIGNED_BATCH_LEAVES, longCapacity: SIGNED_BATCH_LEAVES },
      waitingMax: WAITING_LEAVES_MAX,
    },
    {
      make: async calls => calls,
      complete: async calls => regrouped(this.batches.signed(calls.flat()), calls.map(sizeOf)),
    },
  );
  private warming: Promise<void> | undefined;

  constructor(
    private readonly batches: BatchProof,
    @Inject(AUDIT_BACKEND) private readonly prover: WasmBackend,
    @Inject(SERVICE_ENVIRONMENT) private readonly environment: ServiceEnvironment,
    private readonly cores: CoreTurns,
  ) {}

  onApplicationBootstrap(): void {
    this.warming = this.batches.warmUp().catch(error => {
      this.environment.logger.error({ err: error }, 'No audit can be proved');
    });
  }

  /** After every call and job has been answered: what asked without waiting is proved, then the threads end. */
  async onApplicationShutdown(): Promise<void> {
    await this.warming;
    await Promise.all([this.paid.drain(), this.free.drain()]);
    await this.prover.close();
  }

  /**
   * Gives an answer that carries a proof its evidence. The proof is committed to as the caller gets it, in base64; what opens
   * a commitment is not, for whoever checks the evidence would have to be shown it.
   * @param request what of the request may be shown to whoever is shown the answer: no private inputs
   * @throws ProblemError OVERLOADED
   */
  async withEvidence<Reply extends ProvedReply>(
    request: unknown,
    reply: Reply,
  ): Promise<Reply & { auditProof: StarkAuditProof }> {
    const { proof, proves, doesNotProve } = reply;
    const result = auditedPart({ ...reply, proof: Buffer.from(proof).toString('base64') });
    return { ...reply, auditProof: await this.attestAnswer({ proves, doesNotProve, request, result }) };
  }

  /** @throws ProblemError OVERLOADED, UNPROCESSABLE for a value that no rule can compare */
  attestAnswer({
    request,
    result,
    rulesetId = '',
    rules = [],
    ...evidence
  }: AuditedAnswer): Promise<StarkAuditProof> {
    return this.attestPaid({
      ...evidence,
      requestDigest: digestOf('request', request),
      resultDigest: digestOf('result', result),
      rulesetId,
      rules: [...rules],
    });
  }

  /**
   * @param call `isFree` of a free answer: its evidence is signed and not proved, here as below
   * @throws ProblemError, as {@link attestAnswer}
   */
  async attest({ isFree = false, ...request }: AttestRequest & Partial<AttestCall>): Promise<AuditProof> {
    if (!isFree) return this.attestPaid(request);
    const [auditProof] = await this.together([statementOf(request, '')], this.free);
    return auditProof;
  }

  private async attestPaid(request: AttestRequest): Promise<StarkAuditProof> {
    const [auditProof] = await this.together([statementOf(request, '')], this.paid);
    return auditProof as StarkAuditProof;
  }

  /**
   * Evidence for several answers, or parts of one, in one batch: one proof, or one signature, covers them all.
   * @throws ProblemError, as {@link attestAnswer}
   */
  async attestAll({
    answers,
    isFree,
  }: ParsedRequestOf<typeof auditContract.attestAll>): Promise<AuditProof[]> {
    return this.together(
      answers.map((answer, i) => statementOf(answer, `answers[${i}].`)),
      isFree ? this.free : this.paid,
    );
  }

  private async together(statements: readonly AuditStatement[], batcher: Batcher): Promise<AuditProof[]> {
    const size = sizeIn(batcher === this.paid, statements);
    const leafCount = leavesOf(size);
    if (leafCount > LONG_BATCH_LEAVES || size.inner > INNER_LEAVES_MAX) {
      throw problem('UNPROCESSABLE', `No batch holds ${leafCount} leaves`, {
        errors: [
          { path: 'answers', message: 'too many rules', bound: { max: LONG_BATCH_LEAVES }, got: leafCount },
        ],
      });
    }
    return (await batcher.add(statements, size)) as AuditProof[];
  }
}

/** Of answers that are proved, those without rules share a leaf. */
function sizeIn(isProved: boolean, statements: readonly AuditStatement[]): ItemSize {
  const own = isProved ? statements.filter(({ rules }) => rules.length > 0) : statements;
  const leaves = own.reduce((sum, { rules }) => sum + leafCountOf(rules.length), 0);
  return { leaves, inner: statements.length - own.length };
}

/** Statements that came in one call stay in one batch. */
const sizeOf = (call: readonly AuditStatement[]) => call.length;

function regrouped(proofs: readonly EngineAuditProof[], sizes: readonly number[]): EngineAuditProof[][] {
  let end = 0;
  return sizes.map(size => proofs.slice(end, (end += size)));
}

function statementOf(
  { requestDigest, resultDigest, rules, ...evidence }: AttestRequest,
  at: string,
): AuditStatement {
  for (const [name, digest] of Object.entries({ requestDigest, resultDigest })) {
    if (digest.length !== 32) throw problem('VALIDATION_FAILED', `${at}${name} must be 32 bytes`);
  }
  return {
    ...evidence,
    requestDigest: toHex(requestDigest),
    resultDigest: toHex(resultDigest),
    rules: rules.map((rule, index) => apply(rule, `${at}rules[${index}]`)),
  };
}

function digestOf(path: string, value: unknown): Uint8Array {
  try {
    return canonicalDigest(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const { message } = error;
    throw problem('UNPROCESSABLE', `The ${path} has no digest: ${message}`, { errors: [{ path, message }] });
  }
}

function apply(rule: AuditRule, path: string) {
  try {
    return applyRule(rule);
  } catch (error) {
    if (!(error instanceof RuleValueError)) throw error;
    throw problem('UNPROCESSABLE', error.message, {
      errors: [{ path: `${path}.${error.member}`, message: error.reason }],
    });
  }
}

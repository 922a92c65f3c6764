import { Injectable } from '@nestjs/common';
import {
  type Admission,
  type AirCheckRequest,
  type AirCheckResult,
  OWN_TRACE_MEMBERS,
  type SpatialProveReply,
  type SpatialProveRequest,
  type StarkProveM31Request,
  type StarkProveReply,
  type StarkProveRequest,
} from '@svc/contracts';
import { SALT_BYTES } from '@svc/stark-air';
import { FORMAT_VERSION } from '@svc/stark-verifier';
import { randomBytes } from 'node:crypto';
import { AuditService } from '../audit/audit.service.js';
import { type Evidence, ProofMaker, type ProofObserver } from './proof-maker.js';
import { OwnStatements } from './own-statement.js';
import { planProof, type ProofPlan, type ProofWish } from './proof-plan.js';

/** A request for a proof of a statement, over either field. */
export type StatementRequest = StarkProveRequest | StarkProveM31Request;

/** What opens a commitment beside the inputs. */
export type Opening = Readonly<Record<string, string>>;

/** Who asks: whoever watches the proof, and the receipt that its answer repeats. */
export interface ProofCaller extends ProofObserver {
  readonly receipt: string;
  /** What is to open the commitment, where the caller has been told before the proof; drawn otherwise. */
  readonly opening?: Opening;
}

const PRIMES_HEX = { goldilocks: '0xffffffff00000001', m31: '0x7fffffff' };
const PRIME_TEXT = { goldilocks: '2^64 - 2^32 + 1', m31: '2^31 - 1' };

const DOES_NOT_PROVE = {
  binding:
    'The proof shows that `commitment` was computed from the public inputs, the domain tag and some private bytes, and hides the bytes. That they encode numbers shows when the commitment is opened. It does not show that the witness is true of anything.',
  preimage:
    'The proof shows that somebody knew bytes whose hash under the domain tag is `publicInputs`. It does not show who, that the bytes encode numbers, or what they mean.',
  raw: 'The proof shows that a trace satisfies the constraints of the AIR and the public inputs. It does not show where its inputs come from.',
  spatial:
    'The proof shows that the committed coordinates, as they were claimed, lie in the stated box. It does not show that anybody or anything was there.',
};

/** Proofs of statements about inputs: `prove-goldilocks`, `prove-m31`, and the tool `zk_prove_spatial`. */
@Injectable()
export class StarkProveService {
  constructor(
    private readonly maker: ProofMaker,
    private readonly audits: AuditService,
    private readonly own: OwnStatements,
  ) {}

  /** @throws ProblemError VALIDATION_FAILED or UNPROCESSABLE with the bound, QUEUE_FULL; before any work or payment */
  async admit(request: StatementRequest): Promise<Admission> {
    return this.maker.admit(await this.plan(request));
  }

  /**
   * @param opening what is to open the commitment; drawn where it is not given
   * @throws ProblemError VALIDATION_FAILED or UNPROCESSABLE with the bound
   */
  async plan(request: StatementRequest, opening?: Opening): Promise<ProofPlan> {
    return request.statement === 'own' ? this.own.plan(request) : planProof(wishOf(request, opening));
  }

  /** `POST /v1/zk/airs/check`. @throws ProblemError, as {@link plan} */
  checkAir(request: AirCheckRequest): Promise<AirCheckResult> {
    return this.own.check(request);
  }

  /** Draws what will open the commitment of a request's answer; undefined of a statement without one. */
  drawOpening({ statement }: StatementRequest): Opening | undefined {
    return statement === 'binding' ? { salt: `0x${randomBytes(SALT_BYTES).toString('hex')}` } : undefined;
  }

  /** Proves a statement, with the evidence of its answer. @throws ProblemError; the signal's reason */
  async prove(request: StatementRequest, caller: ProofCaller): Promise<StarkProveReply> {
    const made = await this.make(request, caller);
    // Whoever is shown the answer could otherwise try guesses of what it hides against the digest of the request.
    const { privateWitness: _hidden, ...shown } = request;
    const hidden: readonly string[] = ['inputs', ...OWN_TRACE_MEMBERS];
    const statement = Object.fromEntries(Object.entries(shown).filter(([name]) => !hidden.includes(name)));
    return this.audits.withEvidence(statement, made);
  }

  /** As {@link prove}, without the evidence. */
  async make(request: StatementRequest, caller: ProofCaller) {
    const plan = await this.plan(request, caller.opening);
    const evidence = await this.maker.make(plan, caller);
    return {
      ...commonFields(plan, evidence, caller),
      ...definitionFields(plan),
      fieldPrimeHex: PRIMES_HEX[plan.air.field],
      executionTimeMs: totalMs(evidence),
      securityLevelBits: evidence.securityBits,
      statement: request.statement,
    };
  }

  admitSpatial(request: SpatialProveRequest): Admission {
    return this.maker.admit(planProof(spatialWishOf(request)));
  }

  async proveSpatial(request: SpatialProveRequest, caller: ProofCaller): Promise<SpatialProveReply> {
    const made = await this.makeSpatial(request, caller);
    const { coordinates: _hidden, altitude: _height, ...shown } = request;
    return this.audits.withEvidence(shown, made);
  }

  /** As {@link proveSpatial}, without the evidence. */
  async makeSpatial(request: SpatialProveRequest, caller: ProofCaller) {
    const plan = planProof(spatialWishOf(request));
    const evidence = await this.maker.make(plan, caller);
    return {
      ...commonFields(plan, evidence, caller),
      primeField: PRIME_TEXT[plan.air.field],
      latencyMs: totalMs(evidence),
      securityBits: evidence.securityBits,
    };
  }
}

function wishOf(request: StatementRequest, opening: Opening = {}): ProofWish {
  const statement = request.statement as Exclude<StatementRequest['statement'], 'own'>;
  const { parameterSet, friBlowup, contextDomain = '' } = request;
  const wish = { parameterSet, friBlowup, contextDomain, doesNotProve: DOES_NOT_PROVE[statement] };
  const { publicInputs = [], privateWitness = [] } = request;
  switch (statement) {
    case 'binding':
      return {
        ...wish,
        airId: 'binding/v2',
        witness: { contextDomain, publicInputs, privateWitness, ...opening },
      };
    case 'preimage':
      return {
        ...wish,
        airId: 'preimage/v2',
        witness: { contextDomain, digest: publicInputs, privateWitness },
      };
    case 'raw': {
      const { airId = '', trace, inputs, degree, zeroKnowledge } = request;
      const witness = trace === undefined ? { inputs } : { trace };
      return { ...wish, airId, witness, degree, zeroKnowledge };
    }
  }
}

function spatialWishOf(request: SpatialProveRequest): ProofWish {
  return {
    airId: 'spatial-box/v1',
    witness: request,
    parameterSet: 'P100',
    friBlowup: 8,
    doesNotProve: DOES_NOT_PROVE.spatial,
  };
}

function commonFields(
  { air, parameters, contextDomain, doesNotProve }: ProofPlan,
  { securityBits: _stated, ...evidence }: Evidence & { proofId: string },
  { receipt }: ProofCaller,
) {
  return {
    ...evidence,
    verified: true as const,
    airId: air.id,
    contextDomain,
    zeroKnowledge: parameters.zeroKnowledge,
    friBlowup: parameters.blowupFactor,
    proofBytes: evidence.proof.length,
    paymentReceipt: receipt,
    proves: 'computation' as const,
    doesNotProve,
  };
}

/** What an answer has of the definition that its proof is under. */
function definitionFields({ definition, facts, units }: ProofPlan) {
  if (!definition) return {};
  return { air: definition.canonical, formatVersion: FORMAT_VERSION, units, facts };
}

const totalMs = ({ proverLatencyMs, verificationLatencyMs }: Evidence) =>
  Math.round((proverLatencyMs + verificationLatencyMs) * 1_000) / 1_000;

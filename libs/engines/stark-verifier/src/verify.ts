import { FORMAT_VERSION, type ProofParameters } from './proof-parameters.js';
import {
  blake3Hash,
  type Ext,
  extFromWords,
  isGrindingNonce,
  rootOfCap,
  type Transcript,
} from '@svc/kernels';
import {
  type Air,
  airIds,
  type BoundaryConstraint,
  DefinitionError,
  findAir,
  isOwnAirId,
  ownAir,
  ownPublicInputsFromJson,
  PublicInputError,
  readDefinition,
} from '@svc/stark-air';
import type { VerifierBackend } from './backend.js';
import { checkParameters, PARAMETER_SETS, ParameterError, type ParameterSet } from './parameters.js';
import type { OutOfDomainValues, ProofGeometry } from './profile.js';
import { profileOf } from './profiles.js';
import { capBytes, fixedBytes, NONCE_BYTES, positionBits, proofGeometry } from './proof-geometry.js';
import { decodeHeader, HEADER_BYTES } from './proof-header.js';
import { ProofReader } from './proof-reader.js';
import { checkQueries } from './queries.js';
import { referenceVerifierBackend } from './reference-backend.js';
import { type SecurityFigures, securityOf } from './security.js';
import { ContextDomainError, fitsAir, startTranscript, TranscriptTag } from './statement.js';
import type { InvalidVerdict, RejectionReason, Verdict } from './verdict.js';

/** A proof and what it is said to prove. */
export interface ProofClaim {
  readonly proof: Uint8Array;
  readonly airId: string;
  /** The text of the definition that `airId` is the id of; of a statement of ours there is none. */
  readonly air?: string;
  /** Decoded JSON, of unknown shape. */
  readonly publicInputs: unknown;
  /** Default: the empty domain. */
  readonly contextDomain?: string;
  /** Rows the proof must be about; without it, any that the format allows. */
  readonly traceLength?: number;
}

/** What the verifier asks for; nothing in a proof can lower it. */
export interface VerifierPolicy {
  /** Accepted statements; default: ours, and any definition, which verdicts then call unexpected. */
  readonly airIds?: readonly string[];
  /** Accepted sets; default: all published ones. */
  readonly parameterSets?: readonly ParameterSet[];
  /** Least proven security, default 80: what every published set but the two conjectured ones proves. */
  readonly securityBitsMin?: number;
  /** Least conjectured security, default 0. */
  readonly conjecturedSecurityBitsMin?: number;
}

export const SECURITY_BITS_MIN_DEFAULT = 80;

class Rejection {
  constructor(
    readonly reason: RejectionReason,
    readonly detail?: string,
  ) {}
}

/**
 * Checks a proof against a statement under the verifier's policy (docs/stark-format.md).
 * A false or malformed proof is a value, never an exception, but for a policy that is none (TypeError); the work and memory are bounded by the proof's size and the
 * policy's query counts.
 */
export function verify(
  claim: ProofClaim,
  policy: VerifierPolicy = {},
  backend: VerifierBackend = referenceVerifierBackend,
): Verdict {
  const verdict = decide(claim, policy, backend);
  return verdict instanceof Rejection ? invalid(claim.airId, verdict) : verdict;
}

function decide(claim: ProofClaim, policy: VerifierPolicy, backend: VerifierBackend): Verdict | Rejection {
  // A text would be searched for an id that is a part of it.
  if (policy.airIds !== undefined && !Array.isArray(policy.airIds))
    throw new TypeError('airIds must be an array of ids');
  const isOwn = isOwnAirId(claim.airId);
  if (!isOwn && !airIds().includes(claim.airId)) return new Rejection('unknown-air');
  if (policy.airIds && !policy.airIds.includes(claim.airId)) return new Rejection('air-not-expected');
  const reader = new ProofReader(claim.proof);
  const header = reader.take(HEADER_BYTES);
  if (!header) return new Rejection('truncated');
  const parameters = decodeHeader(header);
  if (typeof parameters === 'string') return new Rejection(parameters);
  const air = airOf(claim, parameters);
  if (air instanceof Rejection) return air;
  const set = allowedSet(parameters, policy);
  if (!set || !fitsAir(parameters, air)) return new Rejection('parameters-not-allowed');
  if (claim.traceLength !== undefined && claim.traceLength !== parameters.traceLength) {
    return new Rejection('trace-length-mismatch', `the proof is about ${parameters.traceLength} rows`);
  }

  const geometry = proofGeometry(parameters, air);
  // First of all: the statement may take long to hash, and nobody has worked yet for a proof that is too short.
  if (reader.remaining < fixedBytes(geometry)) return new Rejection('truncated');
  const statement = readStatement(air, claim, parameters, geometry, backend);
  if (statement instanceof Rejection) return statement;
  const security = securityOf({
    ...parameters,
    columnCount: geometry.columnCount,
    chunkCount: geometry.chunkCount,
    constraintCount: air.transitionNames.length + statement.boundary.length,
    constraintDegree: air.constraintDegree,
  });
  const shortfall = shortfallOf(security, policy);
  if (shortfall !== undefined) return new Rejection('insufficient-security', shortfall);

  const traceCap = checkProof(air, statement, parameters, geometry, reader, backend);
  if (traceCap instanceof Rejection) return traceCap;
  const traceRoot = rootOfCap(traceCap, backend.hashMany.bind(backend)).slice();
  const { id: airId, doesNotProve } = air;
  const about = {
    airId,
    ...(doesNotProve === undefined ? {} : { doesNotProve }),
    ...(isOwn ? { definitionExpected: policy.airIds !== undefined } : {}),
  };
  return { valid: true, ...about, parameterSet: set.id, ...parameters, ...security, traceRoot };
}

/** The statement's AIR: ours by its id, or of the definition that the claim brings, whose hash is its id. */
function airOf(
  claim: ProofClaim,
  { profile, formatVersion = FORMAT_VERSION }: ProofParameters,
): Air | Rejection {
  const { airId, air: text } = claim;
  const field = profileOf(profile).base.name;
  const hasNoForm = () => new Rejection('unknown-air', `${airId} has no form in ${profile}`);
  if (!isOwnAirId(airId)) {
    if (text !== undefined)
      return new Rejection('definition-mismatch', `${airId} has no definition of its own`);
    return findAir(airId, field) ?? hasNoForm();
  }
  // Version 2 binds what constraints come to at one point, and an author of constraints could make them agree there.
  if (formatVersion < 3) return new Rejection('unsupported-version');
  if (text === undefined) return new Rejection('definition-missing');
  if (typeof text !== 'string') return new Rejection('definition-refused', 'the definition is no text');
  try {
    const definition = readDefinition(text);
    if (definition.id !== airId)
      return new Rejection('definition-mismatch', `the definition is ${definition.id}`);
    if (definition.field !== field) return hasNoForm();
    return ownAir(definition, ownPublicInputsFromJson(definition, claim.publicInputs).values) as Air;
  } catch (error) {
    if (error instanceof DefinitionError) return new Rejection('definition-refused', error.message);
    if (error instanceof PublicInputError) return new Rejection('invalid-public-inputs', error.message);
    throw error;
  }
}

/** The figure that is below what the policy asks for, as a detail; undefined where none is. */
function shortfallOf(
  { securityBits, conjecturedSecurityBits }: SecurityFigures,
  { securityBitsMin = SECURITY_BITS_MIN_DEFAULT, conjecturedSecurityBitsMin = 0 }: VerifierPolicy,
): string | undefined {
  if (securityBits < securityBitsMin) return `${securityBits} bits proven, ${securityBitsMin} asked for`;
  if (conjecturedSecurityBits < conjecturedSecurityBitsMin)
    return `${conjecturedSecurityBits} bits conjectured, ${conjecturedSecurityBitsMin} asked for`;
  return undefined;
}

interface Statement {
  readonly boundary: readonly BoundaryConstraint[];
  readonly transcript: Transcript;
}

function readStatement(
  air: Air,
  claim: ProofClaim,
  parameters: ProofParameters,
  { rowCount }: ProofGeometry,
  backend: VerifierBackend,
): Statement | Rejection {
  try {
    const publicInputs = air.publicInputsFromJson(claim.publicInputs);
    const boundary = air.boundaryConstraints(publicInputs, rowCount);
    const { contextDomain = '' } = claim;
    const hashMany = backend.hashMany.bind(backend);
    const transcript = startTranscript(air, publicInputs, parameters, contextDomain, hashMany, boundary);
    return { boundary, transcript };
  } catch (error) {
    if (error instanceof PublicInputError) return new Rejection('invalid-public-inputs', error.message);
    if (error instanceof ContextDomainError) return new Rejection('invalid-context-domain', error.message);
    throw error;
  }
}

// The set of the policy that prescribes exactly the claimed parameters.
function allowedSet(parameters: ProofParameters, policy: VerifierPolicy): ParameterSet | undefined {
  try {
    checkParameters(parameters);
  } catch (error) {
    if (error instanceof ParameterError) return undefined;
    throw error;
  }
  const { profile, blowupFactor, queryCount, grindingBits } = parameters;
  return (policy.parameterSets ?? Object.values(PARAMETER_SETS)).find(
    set =>
      set.profile === profile &&
      set.queryCounts[blowupFactor] === queryCount &&
      set.grindingBits === grindingBits,
  );
}

// Replays the transcript over the proof. Returns the trace's cap.
function checkProof(
  air: Air,
  { boundary, transcript }: Statement,
  { queryCount, grindingBits }: ProofParameters,
  geometry: ProofGeometry,
  reader: ProofReader,
  backend: VerifierBackend,
): Uint8Array | Rejection {
  const [truncated, nonCanonical] = [new Rejection('truncated'), new Rejection('non-canonical-element')];
  const { profile } = geometry;
  const { degree } = profile.extension;
  const treeCapBytes = capBytes(geometry.leafCounts[0]);

  const traceCap = reader.take(treeCapBytes);
  // The cap and what it has no room for are one message.
  const composition = reader.take(treeCapBytes + geometry.overflowBytes);
  const outOfDomainBytes = reader.take(geometry.outOfDomainBytes);
  if (!traceCap || !composition || !outOfDomainBytes) return truncated;
  const overflowWords = profile.readElements(composition.subarray(treeCapBytes));
  const outOfDomainWords = profile.readElements(outOfDomainBytes);
  if (!overflowWords || !outOfDomainWords) return nonCanonical;
  const values = splitOutOfDomain(extFromWords(outOfDomainWords, degree), geometry);
  const overflow = extFromWords(overflowWords, degree);
  transcript.absorb(TranscriptTag.traceCap, traceCap);
  const alpha = transcript.drawExtension(degree);
  transcript.absorb(TranscriptTag.compositionCap, composition);
  const point = profile.drawPoint(transcript, geometry);
  transcript.absorb(TranscriptTag.outOfDomain, outOfDomainBytes);
  const check = { air, boundary, geometry, alpha, point, values, overflow };
  if (!profile.satisfiesConstraints(check, backend)) {
    return new Rejection('constraints-unsatisfied');
  }

  const gamma = transcript.drawExtension(degree);
  const lambdas = [transcript.drawExtension(degree)];
  const layerCaps: Uint8Array[] = [];
  for (const leafCount of geometry.leafCounts.slice(1)) {
    const cap = reader.take(capBytes(leafCount));
    if (!cap) return truncated;
    layerCaps.push(cap);
    transcript.absorb(TranscriptTag.layerCap, cap);
    lambdas.push(transcript.drawExtension(degree));
  }
  const finalBytes = reader.take(geometry.finalLength * geometry.extensionBytes);
  const nonceBytes = reader.take(NONCE_BYTES);
  if (!finalBytes || !nonceBytes) return truncated;
  const finalWords = profile.readElements(finalBytes);
  if (!finalWords) return nonCanonical;
  transcript.absorb(TranscriptTag.finalPolynomial, finalBytes);
  const nonce = new DataView(nonceBytes.buffer, nonceBytes.byteOffset).getBigUint64(0, true);
  if (!isGrindingNonce(transcript.digest(), nonce, grindingBits, backend.hashMany.bind(backend))) {
    return new Rejection('insufficient-grinding');
  }
  transcript.absorb(TranscriptTag.nonce, nonceBytes);

  const reason = checkQueries({
    geometry,
    positions: transcript.drawPositions(queryCount, positionBits(geometry)),
    caps: { trace: traceCap, composition: composition.subarray(0, treeCapBytes), layers: layerCaps },
    point,
    gamma,
    values,
    lambdas,
    finalPolynomial: finalWords,
    reader,
    backend,
  });
  if (reason) return new Rejection(reason);
  return reader.remaining > 0 ? new Rejection('trailing-bytes') : traceCap;
}

function splitOutOfDomain(values: readonly Ext[], { columnCount }: ProofGeometry): OutOfDomainValues {
  return {
    traceAtZ: values.slice(0, columnCount),
    traceAtZNext: values.slice(columnCount, 2 * columnCount),
    compositionAtZ: values.slice(2 * columnCount),
  };
}

/**
 * BLAKE3 of a proof's bytes, `0x` and 64 hexadecimal digits: the name of this very proof.
 * @param backend whose hash is used; one on WebAssembly takes a tenth of the time
 */
export function proofRootHash(
  proof: Uint8Array,
  backend: Pick<VerifierBackend, 'hash'> = { hash: blake3Hash },
): string {
  const digest = backend.hash(proof);
  return `0x${[...digest].map(byte => byte.toString(16).padStart(2, '0')).join('')}`;
}

function invalid(airId: string, { reason, detail }: Rejection): InvalidVerdict {
  return {
    valid: false,
    airId,
    reason,
    ...(detail === undefined ? {} : { detail }),
    securityBits: 0,
    conjecturedSecurityBits: 0,
  };
}

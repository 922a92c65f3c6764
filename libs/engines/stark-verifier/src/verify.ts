import {
  baseFromBytes,
  blake3Hash,
  type Cubic,
  cubicExtension as E,
  cubicsFromWords,
  CUBIC_ELEMENT_BYTES,
  type Field,
  isGrindingNonce,
  log2Exact,
  powers,
  rootOfCap,
  rootOfUnity,
  type Transcript,
} from '@svc/kernels';
import { type Air, type BoundaryConstraint, findAir, PublicInputError } from '@svc/stark-air';
import type { VerifierBackend } from './backend.js';
import { evaluateComposition, type OutOfDomainValues, recombineChunks } from './composition.js';
import {
  checkParameters,
  PARAMETER_SETS,
  ParameterError,
  type ParameterSet,
  parametersOf,
  type ProofParameters,
} from './parameters.js';
import { capBytes, positionBits, type ProofGeometry, proofGeometry } from './proof-geometry.js';
import { decodeHeader, HEADER_BYTES } from './proof-header.js';
import { ProofReader } from './proof-reader.js';
import { checkQueries } from './queries.js';
import { referenceVerifierBackend } from './reference-backend.js';
import { securityOf } from './security.js';
import { ContextDomainError, startTranscript, TranscriptTag } from './statement.js';
import type { InvalidVerdict, RejectionReason, Verdict } from './verdict.js';

/** A proof and what it is said to prove. */
export interface ProofClaim {
  readonly proof: Uint8Array;
  readonly airId: string;
  /** Decoded JSON, of unknown shape. */
  readonly publicInputs: unknown;
  /** Default: the empty domain. */
  readonly contextDomain?: string;
  /** Rows the proof must be about; without it, any that the format allows. */
  readonly traceLength?: number;
}

/** What the verifier asks for; nothing in a proof can lower it. */
export interface VerifierPolicy {
  /** Accepted sets; default: all published ones. */
  readonly parameterSets?: readonly ParameterSet[];
  /** Least proven security, default 100. */
  readonly securityBitsMin?: number;
  /** Least conjectured security, default 0. */
  readonly conjecturedSecurityBitsMin?: number;
}

export const SECURITY_BITS_MIN_DEFAULT = 100;

class Rejection {
  constructor(
    readonly reason: RejectionReason,
    readonly detail?: string,
  ) {}
}

/**
 * Checks a proof against a statement under the verifier's policy (docs/stark-proof-format.md).
 * A false or malformed proof is a value, never an exception; the work and memory are bounded by the proof's size and the
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
  const air = findAir(claim.airId);
  if (!air) return new Rejection('unknown-air');
  const reader = new ProofReader(claim.proof);
  const header = reader.take(HEADER_BYTES);
  if (!header) return new Rejection('truncated');
  const parameters = decodeHeader(header);
  if (typeof parameters === 'string') return new Rejection(parameters);
  const set = allowedSet(parameters, policy);
  if (!set || parameters.traceLength < air.traceLengthMin) return new Rejection('parameters-not-allowed');
  if (claim.traceLength !== undefined && claim.traceLength !== parameters.traceLength) {
    return new Rejection('trace-length-mismatch', `the proof is about ${parameters.traceLength} rows`);
  }

  const statement = readStatement(air, claim, parameters);
  if (statement instanceof Rejection) return statement;
  const geometry = proofGeometry(parameters, air);
  const security = securityOf({
    ...parameters,
    columnCount: geometry.columnCount,
    chunkCount: geometry.chunkCount,
    constraintCount: air.transitionNames.length + statement.boundary.length,
    constraintDegree: air.constraintDegree,
  });
  if (
    security.securityBits < (policy.securityBitsMin ?? SECURITY_BITS_MIN_DEFAULT) ||
    security.conjecturedSecurityBits < (policy.conjecturedSecurityBitsMin ?? 0)
  ) {
    return new Rejection('insufficient-security', `${security.securityBits} bits proven`);
  }

  const traceCap = checkProof(air, statement, parameters, geometry, reader, backend);
  if (traceCap instanceof Rejection) return traceCap;
  const traceRoot = rootOfCap(traceCap, backend.hashMany.bind(backend)).slice();
  return { valid: true, airId: air.id, parameterSet: set.id, ...parameters, ...security, traceRoot };
}

interface Statement {
  readonly boundary: readonly BoundaryConstraint[];
  readonly transcript: Transcript;
}

function readStatement(air: Air, claim: ProofClaim, parameters: ProofParameters): Statement | Rejection {
  try {
    const publicInputs = air.publicInputsFromJson(claim.publicInputs);
    const boundary = air.boundaryConstraints(publicInputs, parameters.traceLength);
    return {
      boundary,
      transcript: startTranscript(air, publicInputs, parameters, claim.contextDomain ?? ''),
    };
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
  const { traceLength, blowupFactor, queryCount, grindingBits } = parameters;
  return (policy.parameterSets ?? Object.values(PARAMETER_SETS)).find(set => {
    if (set.queryCounts[blowupFactor] === undefined) return false;
    const prescribed = parametersOf(set, traceLength, blowupFactor);
    return prescribed.queryCount === queryCount && prescribed.grindingBits === grindingBits;
  });
}

// Replays the transcript over the proof. Returns the trace's cap.
function checkProof(
  air: Air,
  { boundary, transcript }: Statement,
  parameters: ProofParameters,
  geometry: ProofGeometry,
  reader: ProofReader,
  backend: VerifierBackend,
): Uint8Array | Rejection {
  const truncated = new Rejection('truncated');
  const nonCanonical = new Rejection('non-canonical-element');
  const { traceLength } = geometry;
  const treeCapBytes = capBytes(geometry.leafCounts[0]);

  const traceCap = reader.take(treeCapBytes);
  const compositionCap = reader.take(treeCapBytes);
  const outOfDomainBytes = reader.take(geometry.outOfDomainBytes);
  if (!traceCap || !compositionCap || !outOfDomainBytes) return truncated;
  const outOfDomainWords = baseFromBytes(outOfDomainBytes);
  if (!outOfDomainWords) return nonCanonical;
  const values = splitOutOfDomain(cubicsFromWords(outOfDomainWords), geometry);

  transcript.absorb(TranscriptTag.traceCap, traceCap);
  const alpha = transcript.drawCubic();
  transcript.absorb(TranscriptTag.compositionCap, compositionCap);
  const z = transcript.drawOutsideBase();
  transcript.absorb(TranscriptTag.outOfDomain, outOfDomainBytes);
  const expected = evaluateComposition(air, boundary, traceLength, alpha, z, values);
  if (!E.equals(expected, recombineChunks(values.chunksAtZ, z, traceLength))) {
    return new Rejection('constraints-unsatisfied');
  }

  const gamma = transcript.drawCubic();
  const lambdas = [transcript.drawCubic()];
  const layerCaps: Uint8Array[] = [];
  for (const leafCount of geometry.leafCounts.slice(1)) {
    const cap = reader.take(capBytes(leafCount));
    if (!cap) return truncated;
    layerCaps.push(cap);
    transcript.absorb(TranscriptTag.layerCap, cap);
    lambdas.push(transcript.drawCubic());
  }
  const finalBytes = reader.take(geometry.finalLength * CUBIC_ELEMENT_BYTES);
  const nonceBytes = reader.take(8);
  if (!finalBytes || !nonceBytes) return truncated;
  const finalWords = baseFromBytes(finalBytes);
  if (!finalWords) return nonCanonical;
  transcript.absorb(TranscriptTag.finalPolynomial, finalBytes);
  const nonce = new DataView(nonceBytes.buffer, nonceBytes.byteOffset).getBigUint64(0, true);
  if (!isGrindingNonce(transcript.digest(), nonce, parameters.grindingBits)) {
    return new Rejection('insufficient-grinding');
  }
  transcript.absorb(TranscriptTag.nonce, nonceBytes);

  const reason = checkQueries({
    geometry,
    positions: transcript.drawPositions(parameters.queryCount, positionBits(geometry)),
    caps: { trace: traceCap, composition: compositionCap, layers: layerCaps },
    deep: deepChallenge(geometry, z, gamma, values),
    lambdas,
    finalPolynomial: cubicsFromWords(finalWords),
    reader,
    backend,
  });
  if (reason) return new Rejection(reason);
  return reader.remaining > 0 ? new Rejection('trailing-bytes') : traceCap;
}

function splitOutOfDomain(values: readonly Cubic[], { columnCount }: ProofGeometry): OutOfDomainValues {
  return {
    traceAtZ: values.slice(0, columnCount),
    traceAtZNext: values.slice(columnCount, 2 * columnCount),
    chunksAtZ: values.slice(2 * columnCount),
  };
}

/** What the DEEP polynomial is made of besides the opened rows (docs/stark-proof-format.md, section 8). */
export function deepChallenge(
  { traceLength, columnCount, chunkCount }: ProofGeometry,
  z: Cubic,
  gamma: Cubic,
  { traceAtZ, traceAtZNext, chunksAtZ }: OutOfDomainValues,
  extension: Field<Cubic> = E,
) {
  const gammaPowers = powers(extension, gamma, columnCount + chunkCount + 1);
  const weigh = (values: readonly Cubic[]) =>
    values.reduce(
      (sum, value, i) => extension.add(sum, extension.mul(gammaPowers[i], value)),
      extension.zero,
    );
  return {
    z,
    zNext: extension.scale(z, rootOfUnity(log2Exact(traceLength))),
    gammaPowers,
    valueAtZ: weigh([...traceAtZ, ...chunksAtZ]),
    valueAtZNext: weigh(traceAtZNext),
  };
}

/** BLAKE3 of a proof's bytes, `0x` and 64 hexadecimal digits: the name of this very proof. */
export function proofRootHash(proof: Uint8Array): string {
  const digest = blake3Hash(proof);
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

import { FORMAT_VERSION, type ProofParameters } from './proof-parameters.js';
import { type BaseField, baseToBytes, concatBytes, type HashMany, Transcript } from '@svc/kernels';
import { type Air, airDigest, type BoundaryConstraint, evaluatedAirDigest } from '@svc/stark-air';
import { encodeHeader } from './proof-header.js';
import { profileOf } from './profiles.js';
import { usableRowCount } from './trace-length.js';

/** First byte of each transcript message (docs/stark-format.md, section 5). */
export const TranscriptTag = {
  statement: 1,
  traceCap: 2,
  compositionCap: 3,
  outOfDomain: 4,
  layerCap: 5,
  finalPolynomial: 6,
  nonce: 7,
} as const;

export const CONTEXT_DOMAIN_BYTES_MAX = 256;

/** A context domain that the transcript cannot bind. */
export class ContextDomainError extends Error {
  override readonly name = 'ContextDomainError';
  readonly code = 'invalid-context-domain';
  readonly field = 'contextDomain';
}

/** The UTF-8 bytes of a context domain. @throws ContextDomainError unless well-formed and of at most 256 bytes */
export function encodeContextDomain(contextDomain: string): Uint8Array {
  if (contextDomain.length > CONTEXT_DOMAIN_BYTES_MAX || /\p{Surrogate}/u.test(contextDomain)) {
    throw contextDomainError(contextDomain.length);
  }
  const bytes = new TextEncoder().encode(contextDomain);
  if (bytes.length > CONTEXT_DOMAIN_BYTES_MAX) throw contextDomainError(bytes.length);
  return bytes;
}

/** Whether an AIR's statements can be proved under these parameters. @param parameters checked parameters */
export function fitsAir(
  parameters: ProofParameters,
  air: Pick<Air, 'traceLengthMin' | 'zeroKnowledge'>,
): boolean {
  const { traceLength, zeroKnowledge } = parameters;
  const isPrivacyOffered =
    air.zeroKnowledge === 'optional' || (air.zeroKnowledge === 'always') === zeroKnowledge;
  return traceLength >= air.traceLengthMin && isPrivacyOffered;
}

/**
 * A transcript bound to the whole statement: protocol, parameters, AIR, context, public inputs and, since version 3 of the
 * format, the boundary constraints that they give.
 * @param boundary as the AIR gives it, where it is known already
 * @throws ContextDomainError, PublicInputError
 */
export function startTranscript<PublicInputs>(
  air: Air<PublicInputs>,
  publicInputs: PublicInputs,
  parameters: ProofParameters,
  contextDomain: string,
  hashMany?: HashMany,
  boundary: readonly BoundaryConstraint[] = air.boundaryConstraints(publicInputs, usableRowCount(parameters)),
): Transcript {
  const { base } = profileOf(parameters.profile);
  const isBound = (parameters.formatVersion ?? FORMAT_VERSION) >= 3;
  const elements = air.publicInputElements(publicInputs);
  const parts = [
    encodeHeader(parameters),
    ...lengthPrefixed(new TextEncoder().encode(air.id)),
    isBound ? airDigest(air) : evaluatedAirDigest(air),
    ...lengthPrefixed(encodeContextDomain(contextDomain)),
    u32(elements.length),
    baseToBytes(elements, base),
    ...(isBound ? encodeBoundary(boundary, base) : []),
  ];
  const transcript = new Transcript(base, hashMany);
  transcript.absorb(TranscriptTag.statement, concatBytes(...parts));
  return transcript;
}

/** The nonce as it stands in the proof and the transcript. */
export function encodeNonce(nonce: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, nonce, true);
  return bytes;
}

function encodeBoundary(boundary: readonly BoundaryConstraint[], base: BaseField): Uint8Array[] {
  return [
    u32(boundary.length),
    ...boundary.flatMap(({ column, row, value }) => [u32(column), u32(row), baseToBytes([value], base)]),
  ];
}

function contextDomainError(got: number): ContextDomainError {
  return new ContextDomainError(
    `contextDomain must be well-formed Unicode of at most ${CONTEXT_DOMAIN_BYTES_MAX} UTF-8 bytes, got ${got}`,
  );
}

function lengthPrefixed(bytes: Uint8Array): [Uint8Array, Uint8Array] {
  return [u32(bytes.length), bytes];
}

function u32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}

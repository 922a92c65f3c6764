import { FORMAT_VERSION, FORMAT_VERSIONS, type ProofParameters } from './proof-parameters.js';
import { PROFILE_FACTS } from './profile-facts.js';
import { findProfile } from './profiles.js';

export const HEADER_BYTES = 20;

const MAGIC = new TextEncoder().encode('SVCSTARK');
const ZERO_KNOWLEDGE_FLAG = 1;
/** Where the bytes that must be zero begin; they end with the header. */
const RESERVED_OFFSET = 17;

/** The 20 bytes that a proof and its statement begin with (docs/stark-format.md, section 2). */
export function encodeHeader(parameters: ProofParameters): Uint8Array {
  const { profile, traceLength, blowupFactor, queryCount, grindingBits, zeroKnowledge } = parameters;
  const header = new Uint8Array(HEADER_BYTES);
  const view = new DataView(header.buffer);
  header.set(MAGIC);
  view.setUint16(8, parameters.formatVersion ?? FORMAT_VERSION, true);
  view.setUint8(10, PROFILE_FACTS[profile].code);
  view.setUint8(11, Math.log2(traceLength));
  view.setUint8(12, Math.log2(blowupFactor));
  view.setUint8(13, grindingBits);
  view.setUint16(14, queryCount, true);
  view.setUint8(16, zeroKnowledge ? ZERO_KNOWLEDGE_FLAG : 0);
  return header;
}

export type HeaderFault = 'malformed-header' | 'unsupported-version' | 'unsupported-profile';

/** Reads a header; the parameters are not yet checked against any bound. */
export function decodeHeader(header: Uint8Array): ProofParameters | HeaderFault {
  if (header.length !== HEADER_BYTES || MAGIC.some((byte, i) => header[i] !== byte))
    return 'malformed-header';
  const view = new DataView(header.buffer, header.byteOffset, header.length);
  const formatVersion = FORMAT_VERSIONS.find(version => version === view.getUint16(8, true));
  if (formatVersion === undefined) return 'unsupported-version';
  const profile = findProfile(view.getUint8(10));
  if (!profile) return 'unsupported-profile';
  const flags = view.getUint8(16);
  const isReservedZero = header.subarray(RESERVED_OFFSET).every(byte => byte === 0);
  if ((flags & ~ZERO_KNOWLEDGE_FLAG) !== 0 || !isReservedZero) return 'malformed-header';
  return {
    formatVersion,
    profile: profile.facts.name,
    traceLength: 2 ** view.getUint8(11),
    blowupFactor: 2 ** view.getUint8(12),
    grindingBits: view.getUint8(13),
    queryCount: view.getUint16(14, true),
    zeroKnowledge: (flags & ZERO_KNOWLEDGE_FLAG) !== 0,
  };
}

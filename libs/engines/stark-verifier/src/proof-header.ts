import type { ProofParameters } from './parameters.js';

export const HEADER_BYTES = 16;
export const FORMAT_VERSION = 1;
/** Goldilocks, its cubic extension, BLAKE3, folding by 8, caps of 16, final polynomials of at most 32 coefficients. */
export const FORMAT_PROFILE = 1;

const MAGIC = new TextEncoder().encode('SVCSTARK');

/** The 16 bytes that a proof and its statement begin with (docs/stark-proof-format.md, section 2). */
export function encodeHeader({
  traceLength,
  blowupFactor,
  queryCount,
  grindingBits,
}: ProofParameters): Uint8Array {
  const header = new Uint8Array(HEADER_BYTES);
  const view = new DataView(header.buffer);
  header.set(MAGIC);
  view.setUint16(8, FORMAT_VERSION, true);
  view.setUint8(10, FORMAT_PROFILE);
  view.setUint8(11, Math.log2(traceLength));
  view.setUint8(12, Math.log2(blowupFactor));
  view.setUint8(13, grindingBits);
  view.setUint16(14, queryCount, true);
  return header;
}

export type HeaderFault = 'malformed-header' | 'unsupported-version' | 'unsupported-profile';

/** Reads a header; the parameters are not yet checked against any bound. */
export function decodeHeader(header: Uint8Array): ProofParameters | HeaderFault {
  if (header.length !== HEADER_BYTES || MAGIC.some((byte, i) => header[i] !== byte))
    return 'malformed-header';
  const view = new DataView(header.buffer, header.byteOffset, header.length);
  if (view.getUint16(8, true) !== FORMAT_VERSION) return 'unsupported-version';
  if (view.getUint8(10) !== FORMAT_PROFILE) return 'unsupported-profile';
  return {
    traceLength: 2 ** view.getUint8(11),
    blowupFactor: 2 ** view.getUint8(12),
    grindingBits: view.getUint8(13),
    queryCount: view.getUint16(14, true),
  };
}

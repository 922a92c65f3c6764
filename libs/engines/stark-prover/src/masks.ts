import type { BaseField, ElementWords, Ext } from '@svc/kernels';
import type { ProofGeometry } from '@svc/stark-verifier';

/** Where masks come from: fills the whole of `bytes` with uniform bytes. */
export interface RandomSource {
  fill(bytes: Uint8Array<ArrayBuffer>): void;
}

/** Everything random in a proof in zero knowledge, drawn before the trace is made; backends only consume it. */
export interface ZeroKnowledgeMasks {
  /** The last t rows of every column: t base elements a column, column after column. */
  readonly traceRows: ElementWords;
  /**
   * The masks r_0 … r_(K−2) of the chunks: for each, one plane a coordinate of the extension, each of
   * `chunkMaskLength` base elements, lowest degree first.
   */
  readonly chunkMasks: ElementWords;
  /** The random polynomial R: one plane a coordinate, each of N coefficients in the profile's basis. */
  readonly randomPolynomial: ElementWords;
  /** 16 bytes a leaf. */
  readonly traceSalts: Uint8Array;
  readonly compositionSalts: Uint8Array;
}

/** The most that getRandomValues gives at once. */
const DRAW_BYTES_MAX = 65_536;

/** The platform's cryptographic generator. */
export const systemRandomSource: RandomSource = {
  fill(bytes) {
    for (let start = 0; start < bytes.length; start += DRAW_BYTES_MAX) {
      globalThis.crypto.getRandomValues(bytes.subarray(start, start + DRAW_BYTES_MAX));
    }
  },
};

/** Draws the masks of one proof; undefined where nothing is masked. */
export function drawMasks(geometry: ProofGeometry, source: RandomSource): ZeroKnowledgeMasks | undefined {
  const { profile, traceLength, rowCount, columnCount, chunkCount, chunkMaskLength, saltBytes } = geometry;
  if (saltBytes === 0) return undefined;
  const { base, extension } = profile;
  const draw = (count: number) => drawElements(base, count, source);
  const drawSalts = () => {
    const salts = new Uint8Array(geometry.leafCounts[0] * saltBytes);
    source.fill(salts);
    return salts;
  };
  return {
    traceRows: draw(columnCount * (traceLength - rowCount)),
    chunkMasks: draw((chunkCount - 1) * extension.degree * chunkMaskLength),
    randomPolynomial: draw(extension.degree * traceLength),
    traceSalts: drawSalts(),
    compositionSalts: drawSalts(),
  };
}

/** Masks as vectors of `length` extension elements; they are drawn as planes of one coordinate each. */
export function maskVectors(words: ElementWords, degree: number, length: number): Ext[][] {
  return Array.from({ length: words.length / (degree * length) }, (_, vector) =>
    Array.from({ length }, (_, i) =>
      Array.from({ length: degree }, (_, c) => BigInt(words[(vector * degree + c) * length + i])),
    ),
  );
}

/** Uniform elements by rejection: the low bits of each word, as many as p has, unless they make no number below p. */
function drawElements(field: BaseField, count: number, source: RandomSource): ElementWords {
  return field.name === 'm31' ? drawM31(count, source) : drawGoldilocks(count, source);
}

function drawGoldilocks(count: number, source: RandomSource): BigUint64Array {
  const words = new BigUint64Array(count);
  const halves = new Uint32Array(words.buffer);
  source.fill(new Uint8Array(words.buffer));
  for (let i = 0; i < count; i++) {
    // At least p = 2^64 − 2^32 + 1: once in 2^32 words.
    while (halves[2 * i + 1] === 0xffff_ffff && halves[2 * i] !== 0) {
      source.fill(new Uint8Array(words.buffer, 8 * i, 8));
    }
  }
  return words;
}

function drawM31(count: number, source: RandomSource): Uint32Array {
  const words = new Uint32Array(count);
  source.fill(new Uint8Array(words.buffer));
  for (let i = 0; i < count; i++) {
    for (words[i] &= M31_MODULUS; words[i] === M31_MODULUS; words[i] &= M31_MODULUS) {
      source.fill(new Uint8Array(words.buffer, 4 * i, 4));
    }
  }
  return words;
}

const M31_MODULUS = 0x7fff_ffff;

import { deinterleave, secded84Decode, secded84SoftDecode } from '@svc/kernels';
import { HEADER_BITS, HEADER_COPIES, parseBody, parseHeader, whiteningBit } from './packet-frame.js';

const WORD_BITS = 8;
/** The least sure words whose second best reading is tried where the CRC does not agree: 2^8 tries. */
const DOUBTED_WORDS = 8;

/** What the hard decisions of a body were, word by word. */
export interface WordCounts {
  readonly codewords: number;
  readonly correctedWords: number;
  readonly doubleErrorWords: number;
  readonly secdedSyndrome: number;
}

export interface DecodedBody extends WordCounts {
  readonly payload: Uint8Array;
}

/** Bytes of the payload that both copies of a header together announce, or undefined. */
export function decodeHeader(llr: Float32Array): number | undefined {
  const copyBits = HEADER_BITS / HEADER_COPIES;
  const both = llr.slice(0, copyBits);
  for (let copy = 1; copy < HEADER_COPIES; copy++) {
    for (let bit = 0; bit < copyBits; bit++) both[bit] += llr[copy * copyBits + bit];
  }
  const words = deinterleave(both);
  return parseHeader(
    Uint8Array.from(
      { length: copyBits / WORD_BITS },
      (_, word) => secded84SoftDecode(words, word * WORD_BITS).nibble,
    ),
  );
}

/**
 * Reads a body: each word as the likeliest of the 16; where the CRC-32 does not agree, with the second best of the least sure
 * words in every combination, the likeliest first. Each try passes a wrong body once in 2^32.
 *
 * @param llr log P(1)/P(0) of its bits, as sent: whitened and interleaved
 * @returns undefined where no reading has the right CRC-32
 */
export function decodeBody(llr: Float32Array): DecodedBody | undefined {
  const words = deinterleave(unwhitened(llr));
  const count = words.length / WORD_BITS;
  const nibbles = new Uint8Array(count);
  const runnersUp = new Uint8Array(count);
  const margins = new Float64Array(count);
  for (let word = 0; word < count; word++) {
    const { nibble, metric, runnerUp, runnerUpMetric } = secded84SoftDecode(words, word * WORD_BITS);
    nibbles[word] = nibble;
    runnersUp[word] = runnerUp;
    margins[word] = metric - runnerUpMetric;
  }
  for (const changed of likeliestChanges(margins)) {
    const tried = nibbles.slice();
    for (const word of changed) tried[word] = runnersUp[word];
    const { payload, crcValid } = parseBody(tried);
    if (crcValid) return { payload, ...countWords(words) };
  }
  return undefined;
}

function unwhitened(llr: Float32Array): Float32Array {
  return llr.map((ratio, at) => (whiteningBit(at) === 1 ? -ratio : ratio));
}

/** Sets of words to change, none first, then by how little likelihood they cost. */
function likeliestChanges(margins: Float64Array): number[][] {
  const doubted = Array.from(margins.keys())
    .sort((a, b) => margins[a] - margins[b])
    .slice(0, DOUBTED_WORDS);
  return Array.from({ length: 2 ** doubted.length }, (_, set) =>
    doubted.filter((_word, bit) => (set >> bit) & 1),
  )
    .map(words => ({ words, cost: words.reduce((sum, word) => sum + margins[word], 0) }))
    .sort((a, b) => a.cost - b.cost)
    .map(({ words }) => words);
}

function countWords(words: Float32Array): WordCounts {
  const count = words.length / WORD_BITS;
  let correctedWords = 0;
  let doubleErrorWords = 0;
  let correction = 0;
  let doubleError = 0;
  for (let word = 0; word < count; word++) {
    let byte = 0;
    for (let bit = 0; bit < WORD_BITS; bit++)
      byte = (byte << 1) | (words[word * WORD_BITS + bit] > 0 ? 1 : 0);
    const { status, syndrome } = secded84Decode(byte);
    if (status === 'corrected') {
      correctedWords++;
      correction = Math.max(correction, syndrome);
    } else if (status === 'double-error') {
      doubleErrorWords++;
      doubleError = Math.max(doubleError, syndrome);
    }
  }
  return { codewords: count, correctedWords, doubleErrorWords, secdedSyndrome: doubleError || correction };
}

import type { BaseField, Ext } from '../field/field.js';
import { goldilocks } from '../field/goldilocks.js';
import { blake3Many, DIGEST_BYTES, domainKey, type HashMany } from '../hash/blake3.js';

const TRANSCRIPT_KEY = domainKey('svc/stark/v2/transcript');
const CHALLENGE_KEY = domainKey('svc/stark/v2/challenge');
const WORDS_PER_BLOCK = 4;
/** The state and the block's number. */
const BLOCK_BYTES = DIGEST_BYTES + 8;

/**
 * Fiat–Shamir transcript over keyed BLAKE3 (docs/stark-format.md, section 5). Both sides absorb the same messages in
 * the same order and so draw the same challenges.
 */
export class Transcript {
  private state: Uint8Array = new Uint8Array(DIGEST_BYTES);
  private blockIndex = 0;
  private words: bigint[] = [];
  /** The bits that an element of the field takes, all ones. */
  private readonly elementMask: bigint;

  /**
   * @param field the field that elements are drawn from
   * @param hashMany an implementation of keyed BLAKE3, which changes nothing but the time
   */
  constructor(
    private readonly field: BaseField = goldilocks,
    private readonly hashMany: HashMany = blake3Many,
  ) {
    this.elementMask = (1n << BigInt(field.modulus.toString(2).length)) - 1n;
  }

  /** Binds `data`; every later draw depends on it. @param tag one byte that names the kind of message */
  absorb(tag: number, data: Uint8Array): void {
    const message = new Uint8Array(DIGEST_BYTES + 5 + data.length);
    message.set(this.state);
    message[DIGEST_BYTES] = tag;
    new DataView(message.buffer).setUint32(DIGEST_BYTES + 1, data.length, true);
    message.set(data, DIGEST_BYTES + 5);
    this.state = this.hashMany(TRANSCRIPT_KEY, message, message.length);
    this.blockIndex = 0;
    this.words = [];
  }

  /** The state that the grinding nonce is bound to, 32 bytes. */
  digest(): Uint8Array {
    return this.state.slice();
  }

  /** A uniform base-field element: the low bits of the next word, as many as p has, unless they make no number below p. */
  drawBase(): bigint {
    for (;;) {
      const element = this.nextWord() & this.elementMask;
      if (element < this.field.modulus) return element;
    }
  }

  /** A uniform element of an extension of the field. @param degree of the extension */
  drawExtension(degree: number): Ext {
    return Array.from({ length: degree }, () => this.drawBase());
  }

  /** A uniform extension element outside the base field. */
  drawOutsideBase(degree: number): Ext {
    for (;;) {
      const element = this.drawExtension(degree);
      if (element.some((coordinate, i) => i > 0 && coordinate !== 0n)) return element;
    }
  }

  /** `count` uniform integers in [0, 2^bits), with replacement. @param bits 0 … 31 */
  drawPositions(count: number, bits: number): number[] {
    const mask = (1n << BigInt(bits)) - 1n;
    this.prepareWords(count);
    return Array.from({ length: count }, () => Number(this.nextWord() & mask));
  }

  private nextWord(): bigint {
    this.prepareWords(1);
    return this.words.shift() as bigint;
  }

  /** Hashes as many blocks at once as are missing for `count` words. */
  private prepareWords(count: number): void {
    const blockCount = Math.ceil((count - this.words.length) / WORDS_PER_BLOCK);
    if (blockCount <= 0) return;
    const blocks = new Uint8Array(blockCount * BLOCK_BYTES);
    const indices = new DataView(blocks.buffer);
    for (let at = 0; at < blocks.length; at += BLOCK_BYTES) {
      blocks.set(this.state, at);
      indices.setBigUint64(at + DIGEST_BYTES, BigInt(this.blockIndex++), true);
    }
    const digests = this.hashMany(CHALLENGE_KEY, blocks, BLOCK_BYTES);
    const view = new DataView(digests.buffer, digests.byteOffset, digests.length);
    for (let at = 0; at < digests.length; at += 8) this.words.push(view.getBigUint64(at, true));
  }
}

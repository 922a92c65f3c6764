/** How well a packet was heard. */
export interface LinkQuality {
  /** Power of the tones by that of the noise between space − baud and mark + baud. */
  readonly snrDb: number;
  /** Energy of a symbol by the density of the noise, measured on the pilot. */
  readonly esN0Db: number;
  /** The same of a bit of the payload: everything sent counted. */
  readonly ebN0Db: number;
  /** 10·log10 of ½·e^(−γ/2), the error rate of an uncoded bit at γ = Es/N0; not below −90. */
  readonly berNoiseFloorDb: number;
  /** Clock drift and motion together: how far above what was sent its frequencies were heard. */
  readonly frequencyOffsetPpm: number;
}

/** One packet. */
export interface HeardPacket {
  readonly payload: Uint8Array;
  /** Where its sound begins, from the first sample that the receiver was given. */
  readonly startSeconds: number;
  /** Always true of the frame; absent of async8n1, which has no check. */
  readonly crcValid?: boolean;
  readonly codewords: number;
  /** Words with one wrong bit among the hard decisions. */
  readonly correctedWords: number;
  /** Words with two. */
  readonly doubleErrorWords: number;
  /** Of the worst word's hard decisions: 0 clean, 8 + position corrected, 1 to 7 double error. */
  readonly secdedSyndrome: number;
  readonly quality: LinkQuality;
}

/** Why something that began as a packet did not become one. */
export type LostReason =
  'NO_SYNC' | 'HEADER_UNREADABLE' | 'CRC_MISMATCH' | 'CUT_OFF' | 'NO_CARRIER' | 'WORDS_UNREADABLE';

export type ReceivedEvent =
  | { readonly kind: 'packet'; readonly packet: HeardPacket }
  | { readonly kind: 'lost'; readonly reason: LostReason; readonly startSeconds: number };

const BER_NOISE_FLOOR_DB_MIN = -90;
const decibels = (ratio: number) => 10 * Math.log10(ratio);

/**
 * The figures of a link.
 *
 * @param esN0 energy of a symbol by the density of the noise, a ratio
 * @param baud symbols a second
 * @param bandHz width of the packet's band: tone distance + 2·baud
 * @param symbolsPerPayloadBit symbols' worth of energy sent, by the bits of the payload
 */
export function linkQuality(
  esN0: number,
  {
    baud,
    bandHz,
    symbolsPerPayloadBit,
    scale,
  }: { baud: number; bandHz: number; symbolsPerPayloadBit: number; scale: number },
): LinkQuality {
  // Without any noise the ratio has no bound; 90 dB is beyond what 16 bits carry.
  const ratio = Math.min(Math.max(esN0, 1e-9), 1e9);
  const floorDb = decibels(0.5) - (ratio / 2) * decibels(Math.E);
  return {
    snrDb: decibels((ratio * baud) / bandHz),
    esN0Db: decibels(ratio),
    ebN0Db: decibels(ratio * symbolsPerPayloadBit),
    berNoiseFloorDb: Math.max(floorDb, BER_NOISE_FLOOR_DB_MIN),
    frequencyOffsetPpm: (scale - 1) * 1e6,
  };
}

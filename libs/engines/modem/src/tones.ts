/** What a packet will come to. */
export interface PacketPlan extends TonePair {
  readonly sampleRateHz: number;
  readonly samples: number;
  readonly durationSeconds: number;
  readonly baud: Baud;
  /** Bits on the air, of one copy: pilot, header, words and CRC; of async8n1 the words with their start and stop bits. */
  readonly frameBits: number;
  /** [8,4,4] words of payload and CRC, of one copy; of async8n1 the payload's alone. */
  readonly codewords: number;
}
/** Samples a second of every packet that is made, and that every recording is brought to. */
export const PACKET_SAMPLE_RATE_HZ = 44_100;

/** The band that near-ultrasonic tones keep to, of the first copy and of the second. */
export const ULTRASONIC_HZ_MIN = 18_600;
export const ULTRASONIC_HZ_MAX = 19_500;

/** Symbols a second: each divides the sample rate, and the distance of every pair of tones. */
export const BAUDS = [50, 75, 100, 150, 300] as const;
export type Baud = (typeof BAUDS)[number];
export type FrequencyBand = 'ultrasonic_19khz' | 'audible_fsk';
export type PacketProfile = 'standard' | 'robust';
export type LineCode = 'frame' | 'async8n1';

/** Bytes of one packet's payload. */
export const PAYLOAD_BYTES_MAX = 4_096;

/** What sender and receiver have to agree on. */
export interface PacketOptions {
  /** Default ultrasonic_19khz. */
  readonly frequencyBand?: FrequencyBand;
  /** Of ultrasonic_19khz alone: 18,600 (the default) to 19,500, an integer. */
  readonly carrierHz?: number;
  /** Default 150. */
  readonly baud?: Baud;
  /** robust sends the frame a second time on other tones; default standard. */
  readonly profile?: PacketProfile;
  /** Default frame. */
  readonly lineCode?: LineCode;
}

/** The frequencies of a 0 and of a 1, whole Hz. */
export interface TonePair {
  readonly spaceHz: number;
  readonly markHz: number;
}

export type ModemErrorCode =
  'BAUD' | 'CARRIER' | 'LINE_CODE' | 'PAYLOAD_EMPTY' | 'PAYLOAD_TOO_LONG' | 'SAMPLE_RATE_TOO_LOW';

/** What is asked for cannot be sent, or not be heard; `max` or `min` is the bound that was passed. */
export class ModemError extends Error {
  constructor(
    readonly code: ModemErrorCode,
    message: string,
    readonly limits: { readonly min?: number; readonly max?: number; readonly got?: number } = {},
  ) {
    super(message);
    this.name = 'ModemError';
  }
}

/**
 * The tones of the first copy.
 *
 * Up to 18,900 Hz the carrier is the space, with the mark 600 Hz above; up to 19,200 the space, with the mark 300 Hz above;
 * beyond, the mark, with the space 600 Hz below: both stay within 18,600 … 19,500 Hz.
 *
 * @throws ModemError CARRIER
 * @example tonesOf({ carrierHz: 18_600 }) // { spaceHz: 18600, markHz: 19200 }
 */
export function tonesOf({ frequencyBand, carrierHz }: PacketOptions): TonePair {
  if (frequencyBand === 'audible_fsk') return { spaceHz: 1_800, markHz: 2_400 };
  const carrier = carrierHz ?? ULTRASONIC_HZ_MIN;
  if (!Number.isInteger(carrier) || carrier < ULTRASONIC_HZ_MIN || carrier > ULTRASONIC_HZ_MAX) {
    throw new ModemError(
      'CARRIER',
      `carrierHz must be an integer in ${ULTRASONIC_HZ_MIN}…${ULTRASONIC_HZ_MAX}`,
      { min: ULTRASONIC_HZ_MIN, max: ULTRASONIC_HZ_MAX, got: carrier },
    );
  }
  if (carrier <= 18_900) return { spaceHz: carrier, markHz: carrier + 600 };
  if (carrier <= 19_200) return { spaceHz: carrier, markHz: carrier + 300 };
  return { spaceHz: carrier - 600, markHz: carrier };
}

const SECOND_COPY_SHIFT_HZ = 300;

/**
 * The tones of the second copy: 300 Hz above the first where both stay in the band, else 300 Hz below, else as far towards
 * the larger room as it goes. In a room each tone fades by itself, so that two pairs seldom fade together.
 */
export function secondTonesOf(options: PacketOptions): TonePair {
  const first = tonesOf(options);
  const shift = options.frequencyBand === 'audible_fsk' ? SECOND_COPY_SHIFT_HZ : shiftWithin(first);
  return { spaceHz: first.spaceHz + shift, markHz: first.markHz + shift };
}

function shiftWithin({ spaceHz, markHz }: TonePair): number {
  const above = ULTRASONIC_HZ_MAX - markHz;
  const below = spaceHz - ULTRASONIC_HZ_MIN;
  if (above >= SECOND_COPY_SHIFT_HZ) return SECOND_COPY_SHIFT_HZ;
  if (below >= SECOND_COPY_SHIFT_HZ) return -SECOND_COPY_SHIFT_HZ;
  return above >= below ? above : -below;
}

/** Symbols a second; @throws ModemError BAUD */
export function baudOf({ baud = 150 }: PacketOptions): Baud {
  if ((BAUDS as readonly number[]).includes(baud)) return baud;
  throw new ModemError('BAUD', `baud must be one of ${BAUDS.join(', ')}`, { got: baud });
}

/** Samples of one symbol at 44,100 Hz: a whole number at every baud. */
export function samplesPerSymbol(baud: Baud): number {
  return PACKET_SAMPLE_RATE_HZ / baud;
}

/**
 * Lowest sample rate that a recording of these tones may have, Hz.
 *
 * @example sampleRateHzMin({ frequencyBand: 'audible_fsk' }) // 5280
 */
export function sampleRateHzMin(options: PacketOptions): number {
  const first = tonesOf(options).markHz;
  const highest = options.profile === 'robust' ? Math.max(first, secondTonesOf(options).markHz) : first;
  return Math.ceil((highest * 22) / 10);
}

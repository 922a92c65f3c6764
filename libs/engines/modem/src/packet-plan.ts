import type { Baud, TonePair } from './tones.js';

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

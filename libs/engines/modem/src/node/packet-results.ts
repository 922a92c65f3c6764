import type { demodulate, PacketPlan } from '../index.js';

/** A packet as a file: PCM of 16 bits, mono, 44,100 Hz. */
export interface MadePacket extends PacketPlan {
  /** Digest of the file, hex. */
  readonly sha256: string;
  /** The file, where it was asked for. */
  readonly wav?: Uint8Array;
}

/** What a file is, before anything is looked for in it. */
export interface ReadRecording {
  readonly sampleRateHz: number;
  readonly durationSeconds: number;
}

/** What was heard in a file. */
export interface HeardRecording extends ReadRecording, ReturnType<typeof demodulate> {
  /** Listening alone, ms. */
  readonly listenMs: number;
}

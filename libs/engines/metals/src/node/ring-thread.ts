import { parentPort } from 'node:worker_threads';
import { type RecordingBound, RecordingError, type RecordingFault } from '../recording/recording.js';
import { type HeardRecording, hearRecording } from './heard-recording.js';

/** A file that a thread is to listen to. */
export interface RingTask {
  readonly wav: Uint8Array;
  readonly tonesHz?: readonly number[];
}

/** What a thread says of a file. */
export type RingReply =
  | { readonly heard: HeardRecording }
  | { readonly fault: { code: RecordingFault; message: string; bound: RecordingBound } };

// One thread of RingAnalyser.
parentPort?.on('message', ({ wav, tonesHz }: RingTask) => parentPort?.postMessage(replyTo(wav, tonesHz)));

function replyTo(wav: Uint8Array, tonesHz: readonly number[] | undefined): RingReply {
  try {
    return { heard: hearRecording(wav, tonesHz) };
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
    const { code, message, field, min, max, got } = error;
    return { fault: { code, message, bound: { field, min, max, got } } };
  }
}

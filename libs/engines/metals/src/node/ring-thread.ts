import { answerTasks } from '@svc/kernels/node';
import { type RecordingBound, RecordingError, type RecordingFault } from '@svc/recording';
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

// One thread of RingAnalyser. Its decoder prints each packet that it cannot read; the reply says so.
console.error = () => undefined;
answerTasks(replyTo);

async function replyTo({ wav, tonesHz }: RingTask): Promise<RingReply> {
  try {
    return { heard: await hearRecording(wav, tonesHz) };
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
    const { code, message, field, min, max, got } = error;
    return { fault: { code, message, bound: { field, min, max, got } } };
  }
}

import { answerTasks } from '@svc/kernels/node';
import { type RecordingBound, RecordingError, type RecordingFault } from '@svc/recording';
import { DecoderError } from '@svc/recording/node';
import { type HeardRecording, type Hearing, hearRecording } from './heard-recording.js';

/** A file that a thread is to listen to. */
export interface RingTask extends Hearing {
  readonly file: Uint8Array;
}

/** What a thread says of a file. */
export type RingReply =
  | { readonly heard: HeardRecording }
  /** No fault of the file: why it could not be decoded. */
  | { readonly away: string }
  | { readonly fault: { code: RecordingFault; message: string; bound: RecordingBound } };

// One thread of RingAnalyser. Its decoder prints each packet that it cannot read; the reply says so.
console.error = () => undefined;
answerTasks(replyTo);

async function replyTo({ file, ...hearing }: RingTask): Promise<RingReply> {
  try {
    return { heard: await hearRecording(file, hearing) };
  } catch (error) {
    if (error instanceof DecoderError) return { away: error.message };
    if (!(error instanceof RecordingError)) throw error;
    const { code, message, field, min, max, got } = error;
    return { fault: { code, message, bound: { field, min, max, got } } };
  }
}

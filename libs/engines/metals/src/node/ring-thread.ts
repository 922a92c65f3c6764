import { parentPort } from 'node:worker_threads';
import { RecordingError } from '../recording/recording.js';
import { hearRecording } from './heard-recording.js';
import type { RingReply, RingTask } from './ring-analyser.js';

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

import { instantiateDsp } from '@svc/kernels';
import { answerTasks, loadDspModule } from '@svc/kernels/node';
import {
  readWav,
  type Recording,
  type RecordingBound,
  RecordingError,
  type RecordingFault,
  wavHeader,
  wavSamples,
} from '@svc/recording';
import { createHash } from 'node:crypto';
import {
  demodulate,
  ModemError,
  type ModemErrorCode,
  modulateBlocks,
  PACKET_RECORDING_BOUNDS,
  type PacketOptions,
  planPacket,
  sampleRateHzMin,
} from '../index.js';
import type { HeardRecording, MadePacket, ReadRecording } from './packet-results.js';

/** What a thread is to do. */
export type PacketTask =
  | {
      readonly kind: 'make';
      readonly payload: Uint8Array;
      readonly options: PacketOptions;
      readonly withWav: boolean;
    }
  | { readonly kind: 'read' | 'hear'; readonly wav: Uint8Array; readonly options: PacketOptions };

/** What a thread says of it. */
export type PacketReply =
  | { readonly made: MadePacket }
  | { readonly read: ReadRecording }
  | { readonly heard: HeardRecording }
  | { readonly recordingFault: { code: RecordingFault; message: string; bound: RecordingBound } }
  | { readonly modemFault: { code: ModemErrorCode; message: string; limits: ModemError['limits'] } };

// One thread of PacketThreads.
answerTasks<PacketTask, PacketReply>(answer, reply =>
  'made' in reply && reply.made.wav ? [reply.made.wav.buffer as ArrayBuffer] : [],
);

async function answer(task: PacketTask): Promise<PacketReply> {
  try {
    switch (task.kind) {
      case 'make':
        return { made: make(task.payload, task.options, task.withWav) };
      case 'read': {
        const { sampleRateHz, durationSeconds } = readRecording(task.wav, task.options);
        return { read: { sampleRateHz, durationSeconds } };
      }
      case 'hear':
        return { heard: await hear(task.wav, task.options) };
    }
  } catch (error) {
    if (error instanceof RecordingError) {
      const { code, message, field, min, max, got } = error;
      return { recordingFault: { code, message, bound: { field, min, max, got } } };
    }
    if (!(error instanceof ModemError)) throw error;
    const { code, message, limits } = error;
    return { modemFault: { code, message, limits } };
  }
}

/** Digests the file while it is made: 40 minutes of sound take no more memory than a second. */
function make(payload: Uint8Array, options: PacketOptions, withWav: boolean): MadePacket {
  const plan = planPacket(payload.length, options);
  const { samples: frames, sampleRateHz } = plan;
  const header = wavHeader({ channels: 1, frames, sampleRateHz });
  const digest = createHash('sha256').update(header);
  const wav = withWav ? new Uint8Array(header.length + 2 * frames) : undefined;
  wav?.set(header);
  let at = header.length;
  for (const block of modulateBlocks(payload, options)) {
    const bytes = wavSamples([block]);
    digest.update(bytes);
    wav?.set(bytes, at);
    at += bytes.length;
  }
  return { ...plan, sha256: digest.digest('hex'), ...(wav && { wav }) };
}

/** @throws RecordingError; ModemError where it has too few samples a second for the tones */
function readRecording(wav: Uint8Array, options: PacketOptions): Recording {
  const recording = readWav(wav, PACKET_RECORDING_BOUNDS);
  const min = sampleRateHzMin(options);
  const { sampleRateHz: got } = recording;
  if (got >= min) return recording;
  const message = `tones of this band need ${min} samples a second or more, got ${got}`;
  throw new ModemError('SAMPLE_RATE_TOO_LOW', message, { min, got });
}

async function hear(wav: Uint8Array, options: PacketOptions): Promise<HeardRecording> {
  const { samples, sampleRateHz, durationSeconds } = readRecording(wav, options);
  // A memory of its own for each recording: what a long one needed is given back with it.
  const dsp = instantiateDsp(await loadDspModule());
  const startedAtMs = performance.now();
  const heard = demodulate(samples, sampleRateHz, options, dsp);
  return { ...heard, sampleRateHz, durationSeconds, listenMs: performance.now() - startedAtMs };
}

import type { Recording } from '@svc/recording';
import { readRecording } from '@svc/recording/formats';
import { ffmpegDecoder } from '@svc/recording/node';
import { RING_RECORDING_BOUNDS } from '../ring/ring-bounds.js';
import { type ChallengeMatch, findChallengeTone } from '../challenge-tone/challenge-tone.js';
import { analyseRing, type RingAnalysis } from '../ring/analyse-ring.js';

/** What is heard in a file. */
export interface HeardRecording {
  readonly recording: Omit<Recording, 'samples'>;
  /** Null where no tones were looked for. */
  readonly tone: ChallengeMatch | null;
  /** Of what comes after the tones; null where these were looked for and not found. */
  readonly analysis: RingAnalysis | null;
}

/** How a file is listened to. */
export interface Hearing {
  /** Tones of the challenge that it answers, which are looked for. */
  readonly tonesHz?: readonly number[];
  /** The path of an ffmpeg, which decodes MP3, AAC and others; without one they are refused. */
  readonly ffmpeg?: string;
}

/**
 * Reads a file, looks for a challenge's tones, and analyses the ring that follows.
 * @throws RecordingError
 */
export async function hearRecording(
  file: Uint8Array,
  { tonesHz, ffmpeg }: Hearing = {},
): Promise<HeardRecording> {
  const decode = ffmpeg === undefined ? undefined : ffmpegDecoder(ffmpeg);
  const whole = await readRecording(file, RING_RECORDING_BOUNDS, decode);
  const { samples: _samples, ...recording } = whole;
  const tone = tonesHz ? findChallengeTone(whole, tonesHz) : null;
  if (tone && !tone.found) return { recording, tone, analysis: null };
  return { recording, tone, analysis: analyseRing(whole, { fromSeconds: tone?.endSeconds }) };
}

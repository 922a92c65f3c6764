import { Injectable } from '@nestjs/common';
import type { VerifyBullionResult } from '@svc/contracts';
import {
  analyseRing,
  findChallengeTone,
  type Recording,
  RecordingError,
  type RingAnalysis,
  type RingPeak,
  type RingQuality,
  readWav,
  typedPeaks,
} from '@svc/metals';
import { createHash } from 'node:crypto';
import { unprocessable } from './bullion-problem.js';
import { RingChallenges } from './ring-challenges.js';

/** What was heard of a piece, and how far it can be trusted to be its ring. */
export interface HeardRing {
  readonly peaks: readonly RingPeak[];
  readonly evidenceLevel: VerifyBullionResult['evidenceLevel'];
  /** Nothing is known of peaks that somebody has typed in. */
  readonly recorded?: RecordedRing;
}

export interface RecordedRing {
  readonly sha256: string;
  readonly recording: Omit<Recording, 'samples'>;
  readonly analysis: RingAnalysis;
  readonly quality: RingQuality;
}

/** One call asks twice or thrice for the same recording: before the price is named, before it is paid, and for the verdict. */
const KEPT_ANALYSES_MAX = 16;

interface RingSource {
  readonly peaksHz?: readonly number[];
  readonly challengeId?: string;
}

/** Listens to recordings. */
@Injectable()
export class RingListener {
  private readonly kept = new Map<string, HeardRing>();

  constructor(private readonly challenges: RingChallenges) {}

  /** @throws ProblemError UNPROCESSABLE for a recording that cannot be read, or a challenge that it does not answer */
  async listen({ peaksHz, challengeId }: RingSource, wav: Uint8Array | undefined): Promise<HeardRing> {
    if ((peaksHz === undefined) === (wav === undefined))
      throw unprocessable('recordingBase64', 'send recordingBase64 or peaksHz, one of the two');
    if (!wav) {
      if (challengeId) throw unprocessable('challengeId', 'is answered by a recording, not by peaksHz');
      return { peaks: typedPeaks(peaksHz ?? []), evidenceLevel: 'SELF_REPORTED' };
    }
    const digest = createHash('sha256').update(wav).digest();
    const tonesHz = challengeId ? await this.challenges.tonesFor(challengeId, digest) : undefined;
    const key = `${digest.toString('hex')} ${challengeId ?? ''}`;
    const heard = this.kept.get(key) ?? hear(wav, digest, tonesHz);
    this.kept.delete(key);
    this.kept.set(key, heard);
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= KEPT_ANALYSES_MAX) break;
      this.kept.delete(oldest);
    }
    return heard;
  }

  /** Uses up the challenge that a ring was heard to answer. @throws ProblemError UNPROCESSABLE where another recording did */
  async settle({ challengeId }: RingSource, { recorded }: HeardRing): Promise<void> {
    if (challengeId && recorded)
      await this.challenges.use(challengeId, Buffer.from(recorded.sha256.slice(2), 'hex'));
  }
}

function hear(wav: Uint8Array, digest: Buffer, tonesHz: readonly number[] | undefined): HeardRing {
  const whole = recordingOf(wav);
  const tone = tonesHz && findChallengeTone(whole, tonesHz);
  if (tone && !tone.found) {
    const message = `its tones are not heard in the recording: ${tone.matched} of ${tone.of}`;
    throw unprocessable('challengeId', message, { got: String(tone.matched), bound: String(tone.of) });
  }
  const analysis = analyseRing(whole, tone ? { fromSeconds: tone.endSeconds } : {});
  const { samples: _samples, ...recording } = whole;
  const { snrDb, clippedFraction, strikes } = analysis;
  return {
    peaks: analysis.peaks,
    evidenceLevel: tone ? 'CHALLENGED' : 'RECORDING',
    recorded: {
      sha256: `0x${digest.toString('hex')}`,
      ...{ recording, analysis },
      quality: { snrDb, clippedFraction, strikes },
    },
  };
}

function recordingOf(wav: Uint8Array): Recording {
  try {
    return readWav(wav);
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
    const { code, field, min, max, got, message } = error;
    const bound = [min, max].filter(limit => limit !== undefined).join(' … ');
    throw unprocessable('recordingBase64', message, {
      ...(bound && { bound }),
      ...(got !== undefined && { got: String(got) }),
      extensions: { recordingFault: code, recordingField: field },
    });
  }
}

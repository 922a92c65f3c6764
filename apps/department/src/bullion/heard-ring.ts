import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { VerifyBullionResult } from '@svc/contracts';
import {
  type Recording,
  RecordingError,
  type RingAnalysis,
  type RingPeak,
  type RingQuality,
  typedPeaks,
} from '@svc/metals';
import { type RingAnalyser, RingAnalyserError } from '@svc/metals/node';
import { problem } from '@svc/platform';
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

/** Listens to recordings, each in a thread of its own. */
@Injectable()
export class RingListener implements OnApplicationShutdown {
  private readonly kept = new Map<string, Promise<HeardRing>>();

  constructor(
    private readonly challenges: RingChallenges,
    private readonly analyser: RingAnalyser,
  ) {}

  /** @throws ProblemError UNPROCESSABLE for a recording that cannot be read, or a challenge that it does not answer; OVERLOADED */
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
    const heard = this.kept.get(key) ?? this.hear(wav, digest, tonesHz);
    this.kept.delete(key);
    this.kept.set(key, heard);
    // A refusal is not kept: too many waiting now may be few in a second.
    heard.catch(() => this.kept.get(key) === heard && this.kept.delete(key));
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

  onApplicationShutdown(): Promise<void> {
    return this.analyser.close();
  }

  private async hear(
    wav: Uint8Array,
    digest: Buffer,
    tonesHz: readonly number[] | undefined,
  ): Promise<HeardRing> {
    const { recording, tone, analysis } = await this.analyser.hear(wav, tonesHz).catch(refused);
    if (!analysis) {
      const [matched, of] = [String(tone?.matched), String(tone?.of)];
      const message = `its tones are not heard in the recording: ${matched} of ${of}`;
      throw unprocessable('challengeId', message, { got: matched, bound: of });
    }
    const { peaks, snrDb, clippedFraction, strikes } = analysis;
    const sha256 = `0x${digest.toString('hex')}`;
    const quality = { snrDb, clippedFraction, strikes };
    return {
      ...{ peaks, evidenceLevel: tone ? 'CHALLENGED' : 'RECORDING' },
      recorded: { sha256, recording, analysis, quality },
    };
  }
}

const BUSY_RETRY_SECONDS = 2;

/** @throws ProblemError UNPROCESSABLE for the file's own fault, OVERLOADED where it was not listened to */
function refused(error: unknown): never {
  if (error instanceof RingAnalyserError) {
    throw problem('OVERLOADED', error.message, { retryAfterSeconds: BUSY_RETRY_SECONDS, cause: error });
  }
  if (!(error instanceof RecordingError)) throw error;
  const { code, field, min, max, got, message } = error;
  const bound = [min, max].filter(limit => limit !== undefined).join(' … ');
  throw unprocessable('recordingBase64', message, {
    ...(bound && { bound }),
    ...(got !== undefined && { got: String(got) }),
    extensions: { recordingFault: code, recordingField: field },
  });
}

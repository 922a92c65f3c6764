import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { VerifyBullionResult } from '@svc/contracts';
import { type RingAnalysis, type RingPeak, type RingQuality, typedPeaks } from '@svc/metals';
import { type RingAnalyser, RingAnalyserError } from '@svc/metals/node';
import { KeptResults, problem, unprocessable } from '@svc/platform';
import { type Recording, RecordingError } from '@svc/recording';
import { createHash } from 'node:crypto';
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

const KEPT_ANALYSES_MAX = 16;

interface RingSource {
  readonly peaksHz?: readonly number[];
  readonly challengeId?: string;
}

/** Listens to recordings, each in a thread of its own. */
@Injectable()
export class RingListener implements OnApplicationShutdown {
  private readonly kept = new KeptResults<HeardRing>(KEPT_ANALYSES_MAX);

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
    return this.kept.get(key, () => this.hear(wav, digest, tonesHz));
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

/** @throws ProblemError UNPROCESSABLE for the file's own fault, OVERLOADED where it was not listened to, SERVICE_UNAVAILABLE where it could not be decoded */
function refused(error: unknown): never {
  if (error instanceof RingAnalyserError) {
    throw problem(error.code === 'AWAY' ? 'SERVICE_UNAVAILABLE' : 'OVERLOADED', error.message, {
      retryAfterSeconds: BUSY_RETRY_SECONDS,
      cause: error,
    });
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

import { Injectable } from '@nestjs/common';
import {
  ACOUSTIC_DOES_NOT_PROVE,
  acousticContract,
  type AcousticChallengeRequest,
  type DemodulateRequest,
  type ModulateRequest,
  type VerifyPairingRequest,
} from '@svc/contracts';
import { type AnswerStatement, attested } from '@svc/edge';
import { BusClient, problem } from '@svc/platform';
import { createHash } from 'node:crypto';
import type { SoundWork } from './capability.js';
import type { CapabilityAnswer, CapabilityCall } from './capability-call.js';

type Input = Record<string, unknown>;

/** Seconds of sound that the result of a task carries: in base64 it is three quarters of what one message of the bus may have. */
export const TASK_SOUND_SECONDS_MAX = 25;

/** What was answered, and what its evidence says. */
interface Answered extends Omit<AnswerStatement, 'proves'> {
  readonly answer: object;
}

/** Has packets made and heard, and devices paired, as their own routes do. */
@Injectable()
export class SoundDesk {
  constructor(private readonly bus: BusClient) {}

  async admit(work: SoundWork, input: Input): Promise<void> {
    switch (work) {
      case 'modulate': {
        const request = input as ModulateRequest;
        const asked = { request, withWav: false };
        requireShort(request, await this.bus.call(acousticContract.admitModulate, asked));
        return;
      }
      case 'demodulate':
        return void (await this.bus.call(acousticContract.admitDemodulate, demodulateCallOf(input)));
      case 'challenge':
        return void (await this.bus.call(acousticContract.admitChallenge, input as AcousticChallengeRequest));
      case 'pairing':
        return void (await this.bus.call(acousticContract.admitPairing, pairingCallOf(input)));
    }
  }

  /** @param idemKey the same however often the task is begun: its nonce is used once, and its token is the same */
  async run(work: SoundWork, idemKey: string, call: CapabilityCall): Promise<CapabilityAnswer> {
    const { input, isFree, signal, onStage } = call;
    onStage(work);
    const { answer, ...said } = await this.answer(work, idemKey, input, signal);
    onStage('attest');
    const result = { ...(await attested(this.bus, answer, { ...said, isFree }, signal)) };
    return { result, charged: true };
  }

  /** What the capability's own route answers. */
  private async answer(
    work: SoundWork,
    idemKey: string,
    input: Input,
    signal: AbortSignal,
  ): Promise<Answered> {
    switch (work) {
      case 'modulate': {
        const request = input as ModulateRequest;
        const asked = { request, withWav: false };
        const { wav, ...packet } = await this.bus.call(acousticContract.modulate, asked, { signal });
        const answer = { ...packet, ...(wav && { wavBase64: Buffer.from(wav).toString('base64') }) };
        return { answer, request, doesNotProve: ACOUSTIC_DOES_NOT_PROVE.modulate };
      }
      case 'demodulate': {
        const asked = demodulateCallOf(input);
        const answer = await this.bus.call(acousticContract.demodulate, asked, { signal });
        const request = { ...asked.request, recordingSha256: digestOf(asked.recording) };
        return { answer, request, doesNotProve: ACOUSTIC_DOES_NOT_PROVE.demodulate };
      }
      case 'challenge': {
        const request = input as AcousticChallengeRequest;
        const answer = await this.bus.call(acousticContract.challenge, request, { signal });
        return { answer, request, doesNotProve: ACOUSTIC_DOES_NOT_PROVE.challenge };
      }
      case 'pairing': {
        const { recording, ...claimed } = pairingCallOf(input);
        // Without the signal: once it has begun, its nonce may be used.
        const answer = await this.bus.call(acousticContract.verifyPairing, {
          ...claimed,
          recording,
          idemKey,
        });
        const request = { ...claimed, recordingSha256: digestOf(recording) };
        return { answer, request, doesNotProve: ACOUSTIC_DOES_NOT_PROVE.pairing };
      }
    }
  }
}

/** @throws ProblemError UNPROCESSABLE: what is longer is the route's, which sends it as a file */
function requireShort(
  { includeWav }: ModulateRequest,
  { durationSeconds }: { durationSeconds: number },
): void {
  if (includeWav !== true || durationSeconds <= TASK_SOUND_SECONDS_MAX) return;
  const [bound, got] = [String(TASK_SOUND_SECONDS_MAX), durationSeconds.toFixed(1)];
  const message = `a task carries at most ${bound} s of sound, and this lasts ${got} s`;
  throw problem('UNPROCESSABLE', `includeWav: ${message}`, {
    errors: [{ path: 'includeWav', message, bound, got }],
  });
}

function demodulateCallOf(input: Input) {
  const { recordingBase64, ...request } = input as DemodulateRequest;
  return { request, recording: Buffer.from(recordingBase64, 'base64') };
}

function pairingCallOf(input: Input) {
  const { recordingBase64, ...claimed } = input as VerifyPairingRequest;
  return { ...claimed, recording: Buffer.from(recordingBase64, 'base64') };
}

/** Stands for a recording in what evidence speaks of. */
const digestOf = (recording: Uint8Array): string =>
  `0x${createHash('sha256').update(recording).digest('hex')}`;

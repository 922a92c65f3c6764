import { Injectable } from '@nestjs/common';
import type { AdmittedWork, PairingReply } from '@svc/contracts';
import { inTransaction, unprocessable } from '@svc/platform';
import { createHash } from 'node:crypto';
import { DataSource, type EntityManager } from 'typeorm';
import { workOfHearing } from '../sound/sound-work.js';
import { ChallengeListener } from './challenge-listener.js';
import { nonceHashOf } from './challenge-keys.js';
import { requireConfirmation } from './confirmation.js';
import {
  type Band,
  type NonceUse,
  PairingChallenges,
  type StoredChallenge,
  type StoredPairing,
  TRIES_MAX,
} from './pairing-challenges.js';
import { expiredChallenge, noCapture, noTriesLeft, unknownChallenge, usedNonce } from './pairing-problems.js';
import { PairingTokens } from './pairing-tokens.js';

/** A recording that is brought as the answer of a challenge. */
export interface PairingCall {
  readonly deviceId: string;
  /** 16 bytes, hex. */
  readonly challengeNonce: string;
  readonly recording: Uint8Array;
  /** 64 bytes, hex: of the key that the challenge is bound to. */
  readonly confirmationSignature?: string;
  /** 32 bytes, hex: the same call again. */
  readonly idemKey?: string;
  /** The band that the caller takes it to be of; absent: whichever it is of. */
  readonly band?: Band;
}

/** A pairing that is asked for again. */
export type CapturedCall = Pick<PairingCall, 'deviceId' | 'challengeNonce' | 'band'>;

/** A pairing that was heard, or had been before; `use` is there where it is yet to be written. */
export interface HeardPairing {
  readonly pairing: StoredPairing;
  readonly use?: { readonly challenge: StoredChallenge; readonly by: NonceUse };
}

/** Verifies that a recording carries its challenge, and makes one pairing of it. */
@Injectable()
export class PairingService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly challenges: PairingChallenges,
    private readonly listener: ChallengeListener,
    private readonly tokens: PairingTokens,
  ) {}

  /**
   * Whether the call could get a token now; nothing is used up. The recording that used its nonce is let through while its token
   * is valid: whoever paid fetches the answer that was kept.
   * @throws ProblemError NOT_FOUND, EXPIRED, CONFLICT, UNPROCESSABLE, OVERLOADED
   */
  async admit(call: PairingCall): Promise<AdmittedWork> {
    const challenge = await this.find(call);
    const by = useOf(call);
    if (challenge.use) {
      if (isSameRecording(challenge.use, by) && challenge.use.isTokenValid) return { workUnits: 0 };
      throw usedNonce();
    }
    if (!(await this.listen(challenge, call))) return this.admit(call);
    return workOfHearing(await this.listener.hear(challenge.band, call.recording));
  }

  /** The token of the one call that uses the nonce; of the same call again the same. @throws ProblemError as {@link admit} */
  async verify(call: PairingCall): Promise<PairingReply> {
    const heard = await this.hear(call);
    const pairing = await inTransaction(this.dataSource, manager => this.settle(manager, heard));
    return this.tokens.reply(pairing);
  }

  /** Hears a pairing, and leaves using its nonce to {@link settle}. @throws ProblemError as {@link admit} */
  async hear(call: PairingCall): Promise<HeardPairing> {
    const challenge = await this.find(call);
    const by = useOf(call);
    if (challenge.use) return { pairing: pairingOfSameCall(challenge, by) };
    const pairing = await this.listen(challenge, call);
    return pairing ? { pairing, use: { challenge, by } } : this.hear(call);
  }

  /**
   * Uses the nonce of a pairing that was heard, in the transaction of whoever asks.
   * @throws ProblemError CONFLICT where another call was faster, EXPIRED
   */
  async settle(manager: EntityManager, { pairing, use }: HeardPairing): Promise<StoredPairing> {
    if (!use || (await this.challenges.use(manager, use.challenge, use.by, pairing))) return pairing;
    const { nonceHash, deviceId } = use.challenge;
    const now = await this.challenges.find(nonceHash, deviceId, manager);
    if (!now) throw unknownChallenge();
    if (!now.use) throw expiredChallenge();
    return pairingOfSameCall(now, use.by);
  }

  /**
   * The pairing that answered a challenge, said again: of the same claims, and for no longer.
   * @throws ProblemError CONFLICT `NO_CAPTURE` where there is none that is valid; UNPROCESSABLE where it was of another band
   */
  async captured({ deviceId, challengeNonce, band }: CapturedCall): Promise<StoredPairing> {
    const challenge = await this.challenges.find(nonceHashOf(nonceOf(challengeNonce)), deviceId);
    if (!challenge?.use?.isTokenValid) throw noCapture();
    requireBand(challenge, band);
    return challenge.use.pairing;
  }

  private async find(call: PairingCall): Promise<StoredChallenge> {
    const { deviceId, challengeNonce, band, confirmationSignature } = call;
    const nonce = nonceOf(challengeNonce);
    const challenge = await this.challenges.find(nonceHashOf(nonce), deviceId);
    if (!challenge) throw unknownChallenge();
    if (!challenge.use && challenge.isExpired) throw expiredChallenge();
    requireConfirmation(challenge.confirmationKey, nonce, confirmationSignature);
    requireBand(challenge, band);
    return challenge;
  }

  /**
   * A try is taken before anybody listens, so that no number of calls at once has more of them.
   * @returns undefined where the nonce was used since it was found: maybe by the same call
   */
  private async listen(challenge: StoredChallenge, call: PairingCall): Promise<StoredPairing | undefined> {
    if (!(await this.challenges.takeTry(challenge))) return this.requireUsed(challenge);
    let isTry = false;
    try {
      const nonce = nonceOf(call.challengeNonce);
      const listened = await this.listener.listen(challenge, nonce, call.recording);
      if ('packet' in listened) return this.tokens.pairingOf(challenge, listened.packet);
      isTry = true;
      const { reason, message } = listened;
      throw unprocessable('recordingBase64', message, { extensions: { reason } });
    } finally {
      if (!isTry) await this.challenges.giveBackTry(challenge);
    }
  }

  /** Why there is no try of a challenge, unless that is because it was answered. */
  private async requireUsed({ nonceHash, deviceId }: StoredChallenge): Promise<undefined> {
    const now = await this.challenges.find(nonceHash, deviceId);
    if (!now) throw unknownChallenge();
    if (!now.use) throw now.isExpired ? expiredChallenge() : noTriesLeft(TRIES_MAX);
    return undefined;
  }
}

function requireBand({ band: bound }: StoredChallenge, got: Band | undefined): void {
  if (got === undefined || got === bound) return;
  throw unprocessable('frequencyBand', `the challenge was made for ${bound}`, { bound, got });
}

export const nonceOf = (hex: string): Uint8Array =>
  Uint8Array.from(Buffer.from(hex.replace(/^0x/, ''), 'hex'));

const useOf = ({ recording, idemKey }: PairingCall): NonceUse => ({
  recordingDigest: createHash('sha256').update(recording).digest(),
  callKey: idemKey === undefined ? null : Buffer.from(idemKey, 'hex'),
});

const isSameRecording = (use: NonceUse, by: NonceUse) => use.recordingDigest.equals(by.recordingDigest);

/** @throws ProblemError CONFLICT unless it is the same call, whose token is valid */
function pairingOfSameCall({ use }: StoredChallenge, by: NonceUse): StoredPairing {
  const isSameCall = use?.callKey && by.callKey && use.callKey.equals(by.callKey);
  if (isSameCall && isSameRecording(use, by) && use.isTokenValid) return use.pairing;
  throw usedNonce();
}

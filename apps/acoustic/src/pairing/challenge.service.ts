import { Injectable } from '@nestjs/common';
import {
  type AcousticChallengeReply,
  type AcousticChallengeRequest,
  type AdmittedWork,
  PAIRING_CHALLENGE_MS,
} from '@svc/contracts';
import { planPacket } from '@svc/modem';
import { inTransaction, problem } from '@svc/platform';
import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import { BeaconSounds } from '../beacons/beacon-sounds.js';
import { Beacons } from '../beacons/beacons.js';
import { workOfMaking } from '../sound/sound-work.js';
import { SoundService } from '../sound/sound.service.js';
import { CHALLENGE_PAYLOAD_BYTES, ChallengeKeys, NONCE_BYTES, nonceHashOf } from './challenge-keys.js';
import { challengeOptions } from './challenge-listener.js';
import { confirmationKeyOf } from './confirmation.js';
import { PairingChallenges } from './pairing-challenges.js';

/** Makes challenges: their sounds go to the caller, or to an enrolled emitter and never to the caller. */
@Injectable()
export class ChallengeService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly challenges: PairingChallenges,
    private readonly keys: ChallengeKeys,
    private readonly sounds: SoundService,
    private readonly beacons: Beacons,
    private readonly beaconSounds: BeaconSounds,
  ) {}

  /** @throws ProblemError NOT_FOUND for an emitter that is not enrolled; UNPROCESSABLE for a key that is none; OVERLOADED */
  async admit({
    beaconKey,
    frequencyBand,
    confirmationKey,
  }: AcousticChallengeRequest): Promise<AdmittedWork> {
    confirmationKeyOf(confirmationKey);
    if (beaconKey === undefined) this.sounds.requireRoom('make');
    else await this.requireEnrolled(beaconKey);
    // That of an emitter is made when it asks for it.
    const plan = planPacket(CHALLENGE_PAYLOAD_BYTES, challengeOptions(frequencyBand));
    return workOfMaking(plan, { isSent: beaconKey === undefined });
  }

  private async requireEnrolled(beaconKey: string): Promise<void> {
    if (await this.beacons.isEnrolled(beaconKey)) return;
    throw problem('NOT_FOUND', 'No emitter of this beaconKey is enrolled', {
      errors: [{ path: 'beaconKey', message: 'is not enrolled' }],
    });
  }

  /** @throws ProblemError as {@link admit}; QUEUE_FULL where too many sounds wait for the emitter */
  async issue(request: AcousticChallengeRequest): Promise<AcousticChallengeReply> {
    const { deviceId, frequencyBand: band, beaconKey } = request;
    const confirmationKey = confirmationKeyOf(request.confirmationKey);
    if (beaconKey !== undefined) await this.requireEnrolled(beaconKey);
    const nonce = Uint8Array.from(randomBytes(NONCE_BYTES));
    const { currentKeyId: keyId } = this.keys;
    const payload = this.keys.payload(keyId, nonce, deviceId);
    const assurance = beaconKey === undefined ? 'recording_submitted' : 'beacon';
    // Made before the challenge is issued: its seconds are for playing it.
    const made =
      beaconKey === undefined ? await this.sounds.make(payload, challengeOptions(band), true) : undefined;
    const nonceHash = nonceHashOf(nonce);
    const expiresAt = await inTransaction(this.dataSource, async manager => {
      const challenge = { nonceHash, deviceId, band, keyId, assurance, confirmationKey } as const;
      const until = await this.challenges.issue(manager, challenge, PAIRING_CHALLENGE_MS);
      if (beaconKey !== undefined) {
        await this.beaconSounds.add(manager, { nonceHash, beaconKey, band, payload, expiresAt: until });
      }
      return until;
    });
    if (beaconKey !== undefined) this.beaconSounds.tell(beaconKey);
    return {
      challengeNonce: `0x${Buffer.from(nonce).toString('hex')}`,
      ...(made?.wav && { audio: Buffer.from(made.wav).toString('base64') }),
      ...{ expiresAt: expiresAt.toISOString(), keyId, assurance },
    };
  }
}

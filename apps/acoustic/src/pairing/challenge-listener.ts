import { Injectable } from '@nestjs/common';
import type { HeardPacket, PacketOptions } from '@svc/modem';
import type { HeardRecording } from '@svc/modem/node';
import { KeptResults } from '@svc/platform';
import { createHash } from 'node:crypto';
import { SoundService } from '../sound/sound.service.js';
import { ChallengeKeys, type PayloadMatch } from './challenge-keys.js';
import type { Band, StoredChallenge } from './pairing-challenges.js';

/**
 * How the sound of a challenge is sent. In rooms each tone fades by itself, and what is sent twice on other tones comes through
 * more often; 16 bytes take some six seconds then, a fifth of the time that there is.
 */
export const challengeOptions = (frequencyBand: Band): PacketOptions => ({
  ...{ frequencyBand, profile: 'robust', baud: 150 },
});

const KEPT_RECORDINGS_MAX = 8;

/** What a recording is to a challenge: the packet that answers it, or why there is none. */
export type ListenedChallenge =
  { readonly packet: HeardPacket } | { readonly reason: string; readonly message: string };

/** Listens for the sounds of challenges. */
@Injectable()
export class ChallengeListener {
  private readonly kept = new KeptResults<HeardRecording>(KEPT_RECORDINGS_MAX);

  constructor(
    private readonly sounds: SoundService,
    private readonly keys: ChallengeKeys,
  ) {}

  /** @throws ProblemError UNPROCESSABLE for a recording that cannot be listened to, OVERLOADED */
  async listen(
    { band, keyId, deviceId }: Pick<StoredChallenge, 'band' | 'keyId' | 'deviceId'>,
    nonce: Uint8Array,
    recording: Uint8Array,
  ): Promise<ListenedChallenge> {
    const { packets, reason = 'NO_SYNC' } = await this.hear(band, recording);
    const whole = packets.filter(({ crcValid }) => crcValid);
    const found = new Map<PayloadMatch, HeardPacket>();
    for (const packet of whole) found.set(this.keys.match(packet.payload, keyId, nonce, deviceId), packet);
    const packet = found.get('answers');
    if (packet) return { packet };
    if (found.has('wrong-mac'))
      return { reason: 'WRONG_MAC', message: 'the challenge in it was not made for this device' };
    if (found.has('other-challenge'))
      return { reason: 'OTHER_CHALLENGE', message: 'carries a packet, and not this challenge' };
    return { reason, message: `no packet of the challenge is heard in it: ${reason}` };
  }

  /** What is heard in a recording; one that was listened to a moment ago is not listened to again. @throws ProblemError as {@link listen} */
  hear(band: Band, recording: Uint8Array): Promise<HeardRecording> {
    const key = `${band} ${createHash('sha256').update(recording).digest('hex')}`;
    return this.kept.get(key, () => this.sounds.hear(recording, challengeOptions(band)));
  }
}

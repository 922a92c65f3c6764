import { Injectable } from '@nestjs/common';
import { PAIRING_TOKEN_MS, type PairingReply } from '@svc/contracts';
import type { HeardPacket } from '@svc/modem';
import { problem } from '@svc/platform';
import { confirmationOf } from './confirmation.js';
import type { StoredChallenge, StoredPairing } from './pairing-challenges.js';
import { PairingKeys } from './pairing-keys.js';

const BER_FLOOR_DB_MIN = -90;

/** Makes tokens of answered challenges: always the same one of the same pairing. */
@Injectable()
export class PairingTokens {
  constructor(private readonly keys: PairingKeys) {}

  /**
   * What an answered challenge comes to.
   * @throws ProblemError SERVICE_UNAVAILABLE while no key may sign
   */
  pairingOf(
    {
      deviceId,
      nonceHash,
      band,
      assurance,
      confirmationKey,
    }: Omit<StoredChallenge, 'keyId' | 'isExpired' | 'tries'>,
    { quality, secdedSyndrome, correctedWords, doubleErrorWords }: HeardPacket,
    nowMs = Date.now(),
  ): StoredPairing {
    const kid = this.keys.currentKid(nowMs);
    if (kid === undefined) throw problem('SERVICE_UNAVAILABLE', 'No key for pairing tokens may sign now');
    const iat = Math.floor(nowMs / 1_000);
    const berNoiseFloorDb = Math.min(0, Math.max(BER_FLOOR_DB_MIN, hundredths(quality.berNoiseFloorDb)));
    return {
      claims: {
        ...{ v: 1, deviceId, nonceHash: nonceHash.toString('hex'), band, berNoiseFloorDb, assurance },
        ...{ iat, exp: iat + PAIRING_TOKEN_MS / 1_000, kid },
        ...(confirmationKey && confirmationOf(confirmationKey)),
      },
      ...{ secdedSyndrome, correctedWords, doubleErrorWords, snrDb: hundredths(quality.snrDb) },
    };
  }

  /** @throws ProblemError CONFLICT where the key of the pairing is configured no more */
  reply({ claims, ...counts }: StoredPairing): PairingReply {
    const { berNoiseFloorDb, assurance, exp } = claims;
    return {
      ...{ pairingToken: this.sign(claims), ...counts, berNoiseFloorDb, assurance },
      validUntil: exp * 1_000,
    };
  }

  private sign(claims: StoredPairing['claims']): string {
    try {
      return this.keys.sign(claims);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw problem('CONFLICT', 'The key that signed this pairing was taken out of use', { cause: error });
    }
  }
}

/** As much as a measurement says; never −0, which canonical JSON has not. */
const hundredths = (value: number) => Math.round(100 * value) / 100 + 0;

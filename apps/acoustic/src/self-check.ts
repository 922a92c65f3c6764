import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { checkPairingToken } from '@svc/protocols';
import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { ChallengeKeys, NONCE_BYTES, nonceHashOf } from './pairing/challenge-keys.js';
import { ChallengeListener, challengeOptions } from './pairing/challenge-listener.js';
import { PairingKeys } from './pairing/pairing-keys.js';
import { PairingTokens } from './pairing/pairing-tokens.js';
import { SoundService } from './sound/sound.service.js';

const DEVICE_ID = 'self-check';

/**
 * Makes the sound of a challenge, hears it, and signs what came of it before the service takes calls. The token is signed by a key of
 * this start alone that is published nowhere, and is shown to be none that anybody would believe.
 */
@Injectable()
export class SelfCheck implements OnApplicationBootstrap {
  constructor(
    private readonly sounds: SoundService,
    private readonly listener: ChallengeListener,
    private readonly keys: ChallengeKeys,
    private readonly published: PairingKeys,
  ) {}

  /** @throws Error when the modem does not work on this machine */
  async onApplicationBootstrap(): Promise<void> {
    const nonce = Uint8Array.from(randomBytes(NONCE_BYTES));
    const keyId = this.keys.currentKeyId;
    const challenge = { band: 'audible_fsk', keyId, deviceId: DEVICE_ID } as const;
    const payload = this.keys.payload(keyId, nonce, DEVICE_ID);
    const { wav } = await this.sounds.make(payload, challengeOptions(challenge.band), true);
    const listened = await this.listener.listen(challenge, nonce, wav!);
    if (!('packet' in listened)) throw failed(listened.message);
    const own = selfTestKeys();
    const tokens = new PairingTokens(own);
    const answered = {
      ...challenge,
      nonceHash: nonceHashOf(nonce),
      assurance: 'recording_submitted',
      confirmationKey: null,
    } as const;
    const { pairingToken } = tokens.reply(tokens.pairingOf(answered, listened.packet));
    const codes = await Promise.all(
      [own, this.published].map(async keys => {
        const { code } = await checkPairingToken(pairingToken, keys.published(), Date.now(), verifyEd25519);
        return code;
      }),
    );
    if (codes.join() !== 'VALID,BAD_SIGNATURE') throw failed(`its token is ${codes.join(' and ')}`);
  }
}

/** Of one start: nobody else has their secret. */
export const selfTestKeys = (): PairingKeys =>
  new PairingKeys(
    [{ secret: randomBytes(32).toString('hex'), notBeforeMs: 0, notAfterMs: null, revokedAtMs: null }],
    'self-test',
  );

const failed = (reason: string) => new Error(`the self-check of the acoustic service failed: ${reason}`);

function verifyEd25519(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const x = Buffer.from(publicKey).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, message, key, signature);
}

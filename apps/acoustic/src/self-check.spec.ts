import { PacketThreads } from '@svc/modem/node';
import { MeasurementRegistry } from '@svc/platform';
import { ChallengeKeys } from './pairing/challenge-keys.js';
import { ChallengeListener } from './pairing/challenge-listener.js';
import { PairingKeys } from './pairing/pairing-keys.js';
import { SelfCheck, selfTestKeys } from './self-check.js';
import { SoundService } from './sound/sound.service.js';

const SEED = 'pairing-seed-of-the-tests-of-32-characters';
const published = new PairingKeys([{ secret: SEED, notBeforeMs: 0, notAfterMs: null, revokedAtMs: null }]);

describe('the self-check', () => {
  const threads = new PacketThreads();
  const sounds = new SoundService(threads, new MeasurementRegistry());
  const keys = new ChallengeKeys(['acoustic-secret-of-the-tests-of-32-characters']);
  afterAll(() => threads.close());

  const check = (heard: SoundService = sounds) =>
    new SelfCheck(sounds, new ChallengeListener(heard, keys), keys, published).onApplicationBootstrap();

  it('makes a packet and hears it', async () => {
    await expect(check()).resolves.toBeUndefined();
  });

  it('ends the start where nothing is heard', async () => {
    const deaf = { hear: async () => ({ packets: [], reason: 'NO_SYNC' }) } as unknown as SoundService;
    await expect(check(deaf)).rejects.toThrow('self-check of the acoustic service failed');
  });

  it('signs with keys of that start alone, which no secret of the configuration makes', () => {
    const [first, second] = [selfTestKeys(), selfTestKeys()].map(each => each.published()[0]);
    expect(first).toMatchObject({ use: 'self-test' });
    expect(first.kid).not.toBe(second.kid);
    const sameSecret = new PairingKeys(
      [{ secret: SEED, notBeforeMs: 0, notAfterMs: null, revokedAtMs: null }],
      'self-test',
    );
    expect(sameSecret.published()[0].kid).not.toBe(published.published()[0].kid);
  });
});

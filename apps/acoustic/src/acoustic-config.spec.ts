import { ConfigError } from '@svc/platform';
import { acousticConfigFaults, challengeKeysOf, listeningThreadsOf } from './acoustic-config.js';

const SECRET = 'acoustic-secret-of-the-tests-of-32-characters';
const secrets = {
  ACOUSTIC_SECRET: SECRET,
  PAIRING_SIGNING_SEEDS: 'pairing-seed-of-the-tests-of-32-characters',
};

describe('the configuration of the acoustic service', () => {
  it('has no fault where both secrets are set', () => {
    expect(acousticConfigFaults(secrets, {})).toEqual([]);
    expect(acousticConfigFaults(secrets, { ACOUSTIC_THREADS: '4' })).toEqual([]);
    expect(listeningThreadsOf({})).toBe(2);
  });

  it('names every fault at once, and repeats no secret', () => {
    expect(acousticConfigFaults({}, { ACOUSTIC_THREADS: '0' })).toEqual([
      'ACOUSTIC_SECRET: is not set',
      'PAIRING_SIGNING_SEEDS: is not set',
      expect.stringMatching(/^ACOUSTIC_THREADS: /),
    ]);
    const faults = acousticConfigFaults({ ...secrets, ACOUSTIC_SECRET: `${SECRET},hunter2` }, {});
    expect(faults).toEqual(['ACOUSTIC_SECRET: entry 2 is not a secret of 32 to 256 characters']);
    expect(() => challengeKeysOf({ ACOUSTIC_SECRET: 'hunter2' })).toThrow(ConfigError);
  });

  it('makes challenges with the newest secret, and knows those of all of them', () => {
    const [older] = [challengeKeysOf(secrets).currentKeyId];
    const rotated = challengeKeysOf({ ACOUSTIC_SECRET: `another-${SECRET}, ${SECRET}` });
    expect(rotated.currentKeyId).not.toBe(older);
    expect(rotated.knows(older)).toBe(true);
  });
});

import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { createHash, hkdfSync } from 'node:crypto';
import { signingKeyFromSeed } from '@svc/audit-proof';
import type { ServiceEnvironment } from '@svc/platform';
import { proverService } from '../prover.service-definition.js';
import { AUDIT_SIGNING_SEEDS, signingKeysOf, signingSeedFaults } from './signing-keys.js';

const OLD = 'an-old-secret-of-at-least-32-characters';
const NEW = 'the-new-secret-of-at-least-32-characters';
const known = (text: string) => ({ secrets: { [AUDIT_SIGNING_SEEDS]: text } });
const at = (date: string) => Date.parse(date);

describe('signing keys', () => {
  it('signs with the newest key whose time has come, and publishes all of them', () => {
    const keys = signingKeysOf(known(`${OLD},${NEW}:2027-03-01`));
    const [newest, oldest] = keys.published();
    expect(keys.current(at('2027-02-28'))?.kid).toBe(oldest.kid);
    expect(keys.current(at('2027-03-01'))?.kid).toBe(newest.kid);
    expect(newest).toMatchObject({
      alg: 'ML-DSA-65',
      use: 'audit-proof',
      notBefore: '2027-03-01T00:00:00.000Z',
      notAfter: null,
      revokedAt: null,
    });
    expect(Buffer.from(newest.publicKey, 'base64url')).toHaveLength(1_952);
  });

  it('lets a key that has ended sign no more, and still publishes it', () => {
    const keys = signingKeysOf(known(`${OLD}:2026-01-01:2099-01-01`));
    expect(keys.current(at('2098-12-31'))).toBeDefined();
    expect(keys.current(at('2099-01-01'))).toBeUndefined();
    expect(keys.published()[0].notAfter).toBe('2099-01-01T00:00:00.000Z');
  });

  it('signs with no revoked key, and publishes when it was revoked', () => {
    const [date, later] = ['2026-05-20', '2026-06-01'];
    for (const times of ['', ':2026-01-01', ':2026-01-01:2099-01-01']) {
      const entry = `${OLD}${times}:revoked=${date}`;
      const keys = signingKeysOf(known(`${NEW}:${later},${entry}`));
      expect(keys.current(at('2026-05-19'))).toBeUndefined();
      expect(keys.current(at(later))?.kid).toBe(keys.published()[0].kid);
      const revoked = `${date}T00:00:00.000Z`;
      expect(keys.published().map(({ revokedAt }) => revokedAt)).toEqual([null, revoked, null, revoked]);
      expect(signingSeedFaults(known(entry), at('2026-05-19'))).toEqual([
        `${AUDIT_SIGNING_SEEDS}: no entry is valid today`,
      ]);
    }
  });

  it('makes the same key of the same secret on every replica, and another of another', () => {
    const kid = (text: string) => signingKeysOf(known(text)).published()[0].kid;
    expect(kid(OLD)).toBe(kid(`${OLD}:2026-01-01`));
    expect(kid(OLD)).not.toBe(kid(NEW));
  });

  it('refuses a missing, malformed or ended configuration without repeating a secret', () => {
    expect(signingSeedFaults({ secrets: {} })).toEqual([`${AUDIT_SIGNING_SEEDS}: is not set`]);
    const malformed = [
      'short',
      `${OLD}:tomorrow`,
      `${OLD}:2026-13-01`,
      `${OLD}:revoked=2026-13-01`,
      `${OLD}:revoked`,
      `${OLD}:2026-02-01:2026-01-01`,
      `${OLD},`,
    ];
    for (const text of malformed) {
      const faults = signingSeedFaults(known(text));
      expect(faults).toHaveLength(1);
      expect(faults[0]).not.toContain(OLD);
      expect(() => signingKeysOf(known(text))).toThrow(AUDIT_SIGNING_SEEDS);
    }
    expect(signingSeedFaults(known(`${OLD}:2025-01-01:2026-01-01`), at('2026-06-01'))).toHaveLength(1);
    expect(signingSeedFaults(known(`${OLD}:2027-01-01`), at('2026-06-01'))).toHaveLength(1);
    expect(signingSeedFaults(known(`${OLD}:2025-01-01:2026-01-01,${NEW}`), at('2026-06-01'))).toEqual([]);
  });

  it('lets no prover start with a secret that can be guessed, and repeats nothing of it', () => {
    const weak = 'hunter2-'.repeat(5);
    const faultsOf = (text: string) =>
      proverService.configFaults!(known(text) as unknown as ServiceEnvironment, {});
    expect(faultsOf(`${NEW},${weak}`)).toEqual([
      expect.stringMatching(`^${AUDIT_SIGNING_SEEDS}: entry 2 can be guessed: .* 80 are the least$`),
    ]);
    expect(faultsOf(weak).join()).not.toContain('hunter2');
    expect(faultsOf(NEW)).toEqual([]);
  });

  const published = (seed: Uint8Array) =>
    Buffer.from(signingKeyFromSeed(seed).publicKey).toString('base64url');
  const signing = (secret: string) =>
    published(new Uint8Array(hkdfSync('sha256', secret, '', 'svc/audit-signing-key/v2', 32)));
  const retired = (secret: string) =>
    published(createHash('sha256').update(`svc/audit-signing-seed/v1:${secret}`).digest());

  it('derives its seed by HKDF for signing alone, and publishes the key of before as retired', () => {
    const keys = signingKeysOf(known(OLD));
    expect(keys.published().map(({ publicKey, notAfter }) => [publicKey, notAfter])).toEqual([
      [signing(OLD), null],
      [retired(OLD), '2027-07-01T00:00:00.000Z'],
    ]);
    expect(Buffer.from(keys.current(at('2026-12-01'))!.publicKey).toString('base64url')).toBe(signing(OLD));
  });

  it('retires a key no later than it ended, and makes none for a secret that came later', () => {
    const text = `${OLD}:2026-01-01:2026-12-24,${NEW}:2027-07-01`;
    expect(signingKeysOf(known(text)).published()).toMatchObject([
      { publicKey: signing(NEW) },
      { publicKey: signing(OLD) },
      { publicKey: retired(OLD), notAfter: '2026-12-24T00:00:00.000Z' },
    ]);
  });
});

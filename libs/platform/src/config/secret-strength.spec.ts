import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { ConfigError, loadConfig } from './load-config.js';
import { secretBits, secretsConfig } from './secret-strength.js';
import { signingSeedFaults, signingSeedsOf } from './signing-seeds.js';

const SEEDS = 'LICENCE_SIGNING_SEEDS';
const NEW = 'the-new-secret-of-at-least-32-characters';
const known = (text: string) => ({ [SEEDS]: text });
const at = (date: string) => Date.parse(date);

describe('the strength of a secret', () => {
  const WEAK = [
    ['one character', 'a'.repeat(64)],
    ['one character and a few more', `${'a'.repeat(30)}bcdefgh`],
    ['two characters', '01'.repeat(40)],
    ['a short piece again and again', 'correct-horse-'.repeat(4)],
    ['a piece twice', '0123456789abcdef'.repeat(2)],
    ['a piece again and again, and some more', 'supersecretsupersecretsupersecret12'],
    ['pieces again between others', 'password1-password2-password3-password4-'],
    ['an alphabet', 'abcdefghijklmnopqrstuvwxyz0123456789'],
    ['runs', 'aaaaaaaabbbbbbbbccccccccddddddddeeeeeeeeffffffff'],
  ] as const;

  it.each(WEAK)('refuses %s, and names the bound but not the secret', (_, secret) => {
    const faults = signingSeedFaults(SEEDS, known(secret));
    expect(faults).toEqual([
      expect.stringMatching(
        new RegExp(`^${SEEDS}: entry 1 can be guessed: .* \\d+ bits at most, 80 are the least$`),
      ),
    ]);
    expect(faults[0]).not.toContain(secret.slice(0, 14));
    // The whole product in one process asks its services for no faults before it starts them.
    expect(() => signingSeedsOf(SEEDS, known(secret))).toThrow(ConfigError);
  });

  it('takes what a generator makes, in any alphabet', () => {
    for (let i = 0; i < 200; i++) {
      const bytes = randomBytes(32);
      const digits = Array.from(bytes, byte => byte % 10).join('');
      for (const secret of [
        bytes.toString('hex'),
        bytes.toString('base64url'),
        bytes.toString('hex').slice(32),
      ])
        expect(secretBits(secret)).toBeGreaterThanOrEqual(80);
      // 40 digits: 32 have 106 bits, and now and then too few different ones to tell.
      expect(secretBits(digits + digits.split('').reverse().join('').slice(0, 8))).toBeGreaterThan(60);
    }
  });

  it('asks nothing of a secret that signs no more, so that a weak one can be rotated', () => {
    const weak = 'a'.repeat(40);
    const faults = (text: string) => signingSeedFaults(SEEDS, known(text), at('2026-06-01')).length;
    expect(signingSeedsOf(SEEDS, known(`${weak}:revoked=2026-01-01,${NEW}`))).toHaveLength(2);
    expect(faults(`${weak},${NEW}:2026-05-31`)).toBe(0);
    expect(faults(`${weak}:2025-01-01:2026-01-01,${NEW}`)).toBe(0);
    expect(faults(`${weak}:revoked=2026-01-01,${NEW}`)).toBe(0);
    expect(faults(`${weak},${NEW}`)).toBe(1);
    expect(faults(`${weak},${NEW}:2026-07-01`)).toBe(1);
    expect(faults(`${NEW},${weak}:2026-07-01`)).toBe(1);
  });
});

describe('a variable that is one secret', () => {
  const SINGLE = [
    'PAYMENTS_SECRET',
    'MACAROON_SECRET',
    'API_KEY_PEPPER',
    'CREDIT_KEY_SECRET',
    'DEPARTMENT_SECRET',
    'ADMIN_KEY',
  ];

  it.each(SINGLE)('%s is refused where it can be guessed, and not repeated', name => {
    const weak = 'hunter2-'.repeat(5);
    const faultsOf = (secret: string) => {
      try {
        loadConfig(secretsConfig, { [name]: secret });
        return [];
      } catch (error) {
        return (error as ConfigError).faults;
      }
    };
    expect(faultsOf(weak)).toEqual([
      expect.stringMatching(new RegExp(`^${name}: can be guessed: .* 80 are the least$`)),
    ]);
    expect(faultsOf(weak)[0]).not.toContain('hunter2');
    expect(faultsOf(randomBytes(32).toString('base64url'))).toEqual([]);
  });
});

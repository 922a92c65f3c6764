import { describe, expect, it } from '@jest/globals';
import { ConfigError } from './load-config.js';
import { maySign, signingSeedFaults, signingSeedsOf } from './signing-seeds.js';

const SECRET = 'a-secret-of-at-least-thirty-two-chars';
const ms = (date: string) => Date.parse(`${date}T00:00:00Z`);

describe('signing seeds', () => {
  it('are read with the times of their keys', () => {
    const variables = { SEEDS: `${SECRET}:2026-01-01:2027-01-01, ${SECRET}2:revoked=2026-02-01` };
    expect(signingSeedsOf('SEEDS', variables)).toEqual([
      { secret: SECRET, notBeforeMs: ms('2026-01-01'), notAfterMs: ms('2027-01-01'), revokedAtMs: null },
      { secret: `${SECRET}2`, notBeforeMs: 0, notAfterMs: null, revokedAtMs: ms('2026-02-01') },
    ]);
  });

  it('sign from the day of their beginning to that of their end, and never once revoked', () => {
    const times = { notBeforeMs: 10, notAfterMs: 20, revokedAtMs: null };
    expect([9, 10, 19, 20].map(now => maySign(times, now))).toEqual([false, true, true, false]);
    expect(maySign({ ...times, revokedAtMs: 30 }, 15)).toBe(false);
  });

  it('that are missing, malformed or over are refused by name, and no secret is repeated', () => {
    expect(signingSeedFaults('SEEDS', {})).toEqual(['SEEDS: is not set']);
    for (const text of ['short', `${SECRET}:tomorrow`, `${SECRET},`, `${SECRET}:2026-02-01:2026-01-01`]) {
      const [fault, ...more] = signingSeedFaults('SEEDS', { SEEDS: text });
      expect(fault).toMatch(/^SEEDS: entry [12] is not/);
      expect(fault).not.toContain(SECRET);
      expect(more).toEqual([]);
      expect(() => signingSeedsOf('SEEDS', { SEEDS: text })).toThrow(ConfigError);
    }
    expect(signingSeedFaults('SEEDS', { SEEDS: `${SECRET}:2027-01-01` }, ms('2026-01-01'))).toEqual([
      'SEEDS: no entry is valid today',
    ]);
  });
});

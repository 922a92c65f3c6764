import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { digestSecretsOf } from '../config/signing-seeds.js';
import { KeyedDigests } from './keyed-digests.js';

const [OLD, NEW, NEWER] = ['old', 'new', 'newer'].map(name => `${name} secret of the tests of 32 characters`);
const PURPOSE = 'svc/test-request/v1';
const digestsOf = (...live: string[]) => new KeyedDigests({ live }, PURPOSE);
const PLAIN = createHash('sha256').update('482917').digest();
const of = (digests: KeyedDigests, owner = 'claim') => digests.of(PLAIN, owner);

describe('a keyed digest', () => {
  it('is found by no guess: nothing of the plain one is in it', () => {
    const { stored, bytes, keyed } = of(digestsOf(NEW, OLD));
    expect(stored).toMatch(/^[0-9a-f]{8}:[A-Za-z0-9_-]{43} [0-9a-f]{8}:[A-Za-z0-9_-]{43}$/);
    expect([bytes.toString(), keyed.join(' ')]).toEqual([stored, stored]);
    for (const form of ['hex', 'base64', 'base64url'] as const)
      expect(stored).not.toContain(PLAIN.toString(form).slice(0, 42));
  });

  it('names a caller by no part of what callers are told apart by, and alike until another key is the newest', () => {
    const name = digestsOf(NEW).callerOf('a-digest-of-an-address');
    expect(name).toMatch(/^[A-Za-z0-9_-]{22}$/);
    expect(name).toBe(digestsOf(NEW, OLD).callerOf('a-digest-of-an-address'));
    const others = [
      digestsOf(NEWER, NEW).callerOf('a-digest-of-an-address'),
      digestsOf(NEW).callerOf('another'),
      new KeyedDigests({ live: [NEW] }, `${PURPOSE}1`).callerOf('a-digest-of-an-address'),
      createHash('sha256').update('a-digest-of-an-address').digest('base64url').slice(0, 22),
    ];
    expect(others).not.toContain(name);
  });

  it('is the same of text and of bytes, and another for another owner, purpose, content or secret', () => {
    const digests = digestsOf(NEW);
    const { stored } = of(digests);
    expect(digests.of(PLAIN.toString('hex'), 'claim').stored).toBe(stored);
    const others = [
      of(digests, 'claim2'),
      new KeyedDigests({ live: [NEW] }, `${PURPOSE}1`).of(PLAIN, 'claim'),
      digests.of(createHash('sha256').update('482918').digest(), 'claim'),
      of(digestsOf(OLD)),
    ];
    for (const other of others)
      expect([other.stored === stored, other.matches(stored)]).toEqual([false, false]);
  });

  it.each([
    ['lists in another order', digestsOf(NEW, OLD), digestsOf(OLD, NEW)],
    ['a list that has not the newest yet', digestsOf(NEW, OLD), digestsOf(OLD)],
    ['a list that has not the oldest any more', digestsOf(NEWER, NEW), digestsOf(NEW, OLD)],
    [
      'a secret that writes nothing more',
      new KeyedDigests({ live: [NEW], retired: [OLD] }, PURPOSE),
      digestsOf(OLD),
    ],
  ])('is known to a replica with %s', (_what, one, other) => {
    expect([of(one).matches(of(other).stored), of(one).matches(of(other).bytes)]).toEqual([true, true]);
    expect(of(one).keyed.some(form => of(other).keyed.includes(form))).toBe(true);
  });

  it('knows what was written plainly, as text and as bytes, and what is nothing', () => {
    const digest = of(digestsOf(NEW));
    expect([PLAIN.toString('hex'), PLAIN, null, undefined, ''].map(row => digest.matches(row))).toEqual([
      ...[true, true, false, false, false],
    ]);
    expect(() => digestsOf(NEW).of('ab', 'claim')).toThrow(RangeError);
    expect(() => digestsOf()).toThrow(RangeError);
  });

  it('is not written under a seed that was revoked or has ended, and known under it', () => {
    const [revoked, ended, current, future] = ['revoked', 'ended', 'current', 'future'].map(
      name => `${name}-seed-of-the-tests-of-32-characters`,
    );
    const seeds = [
      `${revoked}:2025-01-01:revoked=2025-06-01`,
      `${ended}:2025-01-01:2025-06-01`,
      `${current}:2026-01-01`,
      `${future}:2027-01-01`,
    ].join(',');
    const nowMs = Date.parse('2026-06-01');
    const secrets = digestSecretsOf('SEEDS', { SEEDS: seeds }, nowMs);
    expect(secrets).toEqual({ live: [current, future], retired: [revoked, ended] });
  });
});

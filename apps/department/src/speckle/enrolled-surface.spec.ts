import { describe, expect, it } from '@jest/globals';
import { ProblemError, type ServiceEnvironment, type Variables } from '@svc/platform';
import fc from 'fast-check';
import { type EnrolmentRecord, SurfaceSeal } from './enrolled-surface.js';
import { speckleFaults, triesPerDayOf } from './speckle-config.js';

const OLD = 'the-secret-that-the-department-had-before';
const NEW = 'the-secret-that-the-department-has-by-now';
const sealOf = (secret: string, variables: Variables = {}) =>
  new SurfaceSeal({ secrets: { DEPARTMENT_SECRET: secret }, variables } as unknown as ServiceEnvironment);

const RECORD: EnrolmentRecord = {
  ...{ pufId: `puf_${'p'.repeat(22)}`, slabId: 'slab-1', accountId: `acct_${'a'.repeat(20)}`, keyId: null },
  ...{
    requestDigest: new Uint8Array(52).fill(1),
    fingerprintVersion: 'speckle/v1',
    modality: 'laser_speckle',
  },
  ...{ bitCount: 1_922, usableBits: 1_700, helperData: new Uint8Array(300).fill(2) },
  quality: { contrast: 0.9, speckleSizePx: 5.5, saturatedPct: 0.1, regularity: 0.12 },
  ...{ keyCommitment: new Uint8Array(32).fill(3), residualEntropyBits: 359.25 },
  enrolledAt: '2026-11-22T12:00:00.000Z',
};
const PRINT = {
  bits: new Uint8Array(241).fill(0xa5),
  mask: new Uint8Array(241).fill(0xff),
  patch: Float32Array.from({ length: 256 * 256 }, (_, i) => 4 * Math.sin(i)),
};

const refusal = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

describe('the seal of an enrolled surface', () => {
  it('gives back what was enrolled, the patch to a 63rd of its deviation', () => {
    const opened = sealOf(NEW).open(sealOf(NEW).seal(PRINT, RECORD), RECORD);
    expect([opened.bits, opened.mask]).toEqual([PRINT.bits, PRINT.mask]);
    const off = opened.patch.map((value, i) => Math.abs(value - PRINT.patch[i]));
    expect(Math.max(...off.subarray(0, 10_000))).toBeLessThanOrEqual(4 / 254 + 1e-6);
  });

  it('opens beside no record in which any member is another', () => {
    const sealed = sealOf(NEW).seal(PRINT, RECORD);
    const changes: Partial<EnrolmentRecord>[] = [
      { pufId: `puf_${'q'.repeat(22)}` },
      ...[{ slabId: 'slab-2' }, { slabId: null }, { accountId: `acct_${'b'.repeat(20)}` }, { keyId: 'k' }],
      ...[{ requestDigest: new Uint8Array(52) }, { fingerprintVersion: 'speckle/v2' }],
      ...[{ modality: 'paper_texture' as const }, { bitCount: 1_921 }, { usableBits: 1_699 }],
      ...[{ quality: { ...RECORD.quality, contrast: 0.8 } }, { helperData: new Uint8Array(300) }],
      ...[{ helperData: new Uint8Array(299).fill(2) }, { keyCommitment: new Uint8Array(32) }],
      ...[{ residualEntropyBits: 359.5 }, { enrolledAt: '2026-11-22T12:00:00.001Z' }],
    ];
    expect(new Set(changes.flatMap(Object.keys))).toEqual(new Set(Object.keys(RECORD)));
    for (const change of changes) {
      const error = refusal(() => sealOf(NEW).open(sealed, { ...RECORD, ...change })) as ProblemError;
      expect([change, error.code]).toEqual([change, 'UNPROCESSABLE']);
    }
  });

  it('opens with no bit of it turned over', () => {
    const sealed = sealOf(NEW).seal(PRINT, RECORD);
    fc.assert(
      fc.property(fc.nat({ max: 8 * sealed.length - 1 }), bit => {
        const changed = Buffer.from(sealed);
        changed[bit >> 3] ^= 1 << (bit & 7);
        return refusal(() => sealOf(NEW).open(changed, RECORD)) instanceof ProblemError;
      }),
      { numRuns: 100 },
    );
  });

  it('opens under a secret that it was before, where that is told, and under no other', () => {
    const sealed = sealOf(OLD).seal(PRINT, RECORD);
    expect(refusal(() => sealOf(NEW).open(sealed, RECORD))).toBeInstanceOf(ProblemError);
    const before = { DEPARTMENT_SECRETS_BEFORE: `${'x'.repeat(32)}, ${OLD}` };
    expect(sealOf(NEW, before).open(sealed, RECORD).bits).toEqual(PRINT.bits);
    // What is sealed now is sealed under the new one.
    expect(sealOf(NEW).open(sealOf(NEW, before).seal(PRINT, RECORD), RECORD).mask).toEqual(PRINT.mask);
  });
});

describe('the secrets before', () => {
  it('may be absent, and are refused where one is short, without naming it', () => {
    expect([speckleFaults({}), speckleFaults({ DEPARTMENT_SECRETS_BEFORE: ' ' })]).toEqual([[], []]);
    expect(speckleFaults({ DEPARTMENT_SECRETS_BEFORE: `${OLD},short-one` })).toEqual([
      'DEPARTMENT_SECRETS_BEFORE: entry 2 has 9 characters, at least 32 are asked',
    ]);
  });

  it('come with how often a slab may be tried, which is at least once', () => {
    expect(triesPerDayOf({})).toBe(100);
    expect(triesPerDayOf({ SPECKLE_TRIES_PER_DAY: '7' })).toBe(7);
    for (const tries of ['0', '1.5', 'many', '1000001'])
      expect(speckleFaults({ SPECKLE_TRIES_PER_DAY: tries })).toEqual([
        expect.stringContaining('SPECKLE_TRIES_PER_DAY'),
      ]);
  });
});

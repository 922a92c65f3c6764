import { describe, expect, it } from '@jest/globals';
import { typedPeaks } from '../verdict/judge-ring.js';
import { enrolledModes, EnrolmentError, specimenModes } from './enrolment.js';
import { type Product, PRODUCTS } from './product.js';
import { referenceOfProduct } from './reference.js';

const krugerrand = PRODUCTS.get('krugerrand') as Product;
const buffalo = PRODUCTS.get('american-gold-buffalo') as Product;
const lines = (hz: number) => [{ mode: '(2,0)' as const, linesHz: [hz] }];
const specimens = (...hz: number[]) => hz.map((one, i) => ({ specimen: `no. ${i}`, modes: lines(one) }));

describe('an enrolled specimen', () => {
  it('has its modes where the table has them, doublets as two lines', () => {
    const peaks = typedPeaks([4420, 4480, 8700, 10_700, 18_600]);
    expect(specimenModes(krugerrand, peaks)).toEqual([
      { mode: '(2,0)', linesHz: [4420, 4480] },
      { mode: '(0,1)', linesHz: [8700] },
      { mode: '(3,0)', linesHz: [10_700] },
      { mode: '(4,0)', linesHz: [18_600] },
    ]);
  });

  it('has its modes where relief and rim may have lowered them, of a coin that no table has', () => {
    const modes = specimenModes(buffalo, typedPeaks([3_100, 6_200, 7_900, 14_100]));
    expect(modes.map(({ mode }) => mode)).toEqual(['(2,0)', '(0,1)', '(3,0)', '(4,0)']);
  });

  it('is refused where it rings differently, or is hardly heard', () => {
    const scaled = [4376, 4436, 8652, 10_609, 18_483].map(hz => hz * 1.3);
    expect(() => specimenModes(krugerrand, typedPeaks(scaled))).toThrow(
      expect.objectContaining({ code: 'rings-differently' }),
    );
    expect(() => specimenModes(krugerrand, typedPeaks([8652]))).toThrow(EnrolmentError);
  });
});

describe('an enrolled reference', () => {
  it('is as sure as its specimens are alike, and never surer than a hundredth', () => {
    const uncertaintyOf = (...hz: number[]) => enrolledModes(specimens(...hz))[0].uncertainty;
    expect(uncertaintyOf(4400)).toBe(0.02);
    expect(uncertaintyOf(4400, 4410)).toBe(0.015);
    expect(uncertaintyOf(4400, 4400, 4400)).toBe(0.01);
    // s = 1 % of three, × √(4/3) × t(2)/1.96
    expect(uncertaintyOf(4356, 4400, 4444)).toBeCloseTo(0.01 * Math.sqrt(4 / 3) * 2.195, 5);
  });

  it('counts recordings of one piece as one piece', () => {
    const twice = [
      { specimen: 'a', modes: lines(4400) },
      { specimen: 'a', modes: lines(4410) },
      { specimen: 'b', modes: lines(4500) },
    ];
    expect(enrolledModes(twice)[0]).toMatchObject({ linesHz: [(4405 + 4500) / 2], uncertainty: 0.015 });
  });

  it('is a doublet where most recordings are', () => {
    const split = { mode: '(2,0)' as const, linesHz: [4380, 4440] };
    const all = [split, split, lines(4410)[0]].map((mode, i) => ({ specimen: `${i}`, modes: [mode] }));
    expect(enrolledModes(all)[0].linesHz).toEqual([4380, 4440]);
  });

  it('comes before the table, mode by mode', () => {
    const enrolled = { specimens: 1, modes: enrolledModes(specimens(4450)) };
    const { kind, modes, source } = referenceOfProduct(krugerrand, enrolled);
    expect(kind).toBe('enrolled');
    expect(modes.map(({ basis }) => basis)).toEqual(['enrolled', 'table', 'table', 'table']);
    expect(source).toContain('1 enrolled');
  });
});

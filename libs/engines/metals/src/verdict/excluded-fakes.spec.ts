import type { RingTest } from './ring-test.js';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FAKE_METALS } from '../material/fake-metals.js';
import { type Product, PRODUCTS } from '../product/product.js';
import { knownModes, type MeasuredPiece, pieceOfProduct, referenceOfProduct } from '../product/reference.js';
import { type Judgement, judgeRing, typedPeaks } from './judge-ring.js';
import { type LikelyFake, likelyFakes } from './likely-fakes.js';
import { type ProductMeasurement, productTest, readingsToPass } from './product-test.js';

const product = (id: string) => PRODUCTS.get(id) as Product;
const inWater = (massG: number, densityGcc: number) => massG * (1 - 0.9982 / densityGcc);
const codesOf = ({ reasons }: Judgement) => reasons.map(({ code }) => code);
const namesOf = ({ fakes }: Judgement) => fakes.flatMap(({ metal, fits }) => (fits ? [metal] : []));

/** The modes of a genuine piece, as its reference has them and else theory, hertz. */
function genuineHz(coin: Product): Map<string, number> {
  const reference = referenceOfProduct(coin);
  const modes = knownModes(pieceOfProduct(coin), reference).map(({ mode, hz }) => [mode, hz] as const);
  return new Map<string, number>([
    ...modes,
    ...reference.modes.map(({ mode, linesHz }) => [mode, linesHz[0]] as const),
  ]);
}

/** What a fake of a coin gives: its ring, weight, thickness and, under its skin, what its core conducts. */
function readingsOf(coin: Product, fake: LikelyFake): ProductMeasurement & { peaks: RingTest['peaks'] } {
  const hz = [...genuineHz(coin)].map(([mode, at]) => at * (fake.ratios.get(mode as never) ?? 1));
  const rimMm = productTest(coin, { massG: coin.massG, peaks: [] }).expectedThickness!.expectedMm;
  return {
    ...{ massG: coin.massG, peaks: typedPeaks(hz), scaleAccuracyG: 0.001 },
    submergedMassG: inWater(coin.massG, fake.densityGcc),
    thicknessMm: rimMm * fake.thicknessRatio,
  };
}

/** Every fake in the long tier, else one of so many. */
const EVERY = process.env.SUITE_TIER === 'long' ? 1 : 31;

describe('a fake with the mass and the diameter of a coin', () => {
  const fakes = [...PRODUCTS.values()].flatMap(coin =>
    likelyFakes(pieceOfProduct(coin))
      .filter(({ share }) => share >= 0.4)
      .map(fake => ({ coin, fake })),
  );

  it('passes as no coin, with its own ring, thickness and density', () => {
    expect(fakes.length).toBeGreaterThan(5_000);
    const passing = fakes
      .filter((_, i) => i % EVERY === 0)
      .filter(({ coin, fake }) => judgeRing(productTest(coin, readingsOf(coin, fake))).verdict === 'PASS')
      .map(({ coin, fake }) => `${coin.productId} ${fake.metal.name} ${fake.share} ${fake.densityGcc}`);
    expect(passing).toEqual([]);
  });

  it('is always one that explains its own readings', () => {
    for (const { coin, fake } of fakes.filter((_, i) => i % (5 * EVERY) === 0)) {
      const judgement = judgeRing(productTest(coin, readingsOf(coin, fake)));
      // Where the ring is read as a whole piece of something else it is refused without that.
      if (judgement.verdict === 'INCONCLUSIVE' && judgement.match.scale === 1)
        expect([coin.productId, ...namesOf(judgement)]).toContain(fake.metal.name);
    }
  });
});

describe('tungsten under gold', () => {
  const maple = product('gold-maple-leaf');
  const ringing = typedPeaks([...genuineHz(maple).values()]);
  const judge = (more: Partial<RingTest>) =>
    judgeRing({ ...productTest(maple, { massG: maple.massG, peaks: ringing }), ...more });

  it('is told by its conductivity where it is plated, and not under a thick skin', () => {
    const fakes = likelyFakes(pieceOfProduct(maple)).filter(({ metal }) => metal.name === 'tungsten');
    const excludedAt = (conductivityMSm: number) =>
      judge({ conductivityMSm }).fakes.find(({ metal }) => metal === 'tungsten')!.excludedBy;
    expect(fakes.map(({ share }) => share)).toContain(0.3);
    // What gold conducts, plated tungsten does not; a core in a thick skin is left to the ring.
    expect(excludedAt(45)).toEqual(expect.arrayContaining(['conductivity', 'ring']));
    expect(excludedAt(18.5)).not.toContain('conductivity');
  });

  it('is refused by a meter that shows what tungsten conducts, or a magnet that sticks', () => {
    expect(codesOf(judge({ conductivityMSm: 18.5 }))[0]).toBe('CONDUCTIVITY_OFF');
    expect(judge({ conductivityMSm: 18.5 }).verdict).toBe('FAIL');
    expect(judge({ conductivityMSm: 44 }).verdict).toBe('PASS');
    // 20 % off passes nothing, whatever else agrees.
    expect(judge({ conductivityMSm: 36 }).verdict).not.toBe('PASS');
    expect(judge({ conductivityMSm: 54 }).verdict).not.toBe('PASS');
    expect(judge({ magnetSlide: 'sticks' })).toMatchObject({ verdict: 'FAIL', magnetAgrees: false });
    expect(judge({ magnetSlide: 'slow' })).toMatchObject({ verdict: 'PASS', magnetAgrees: true });
    expect(codesOf(judge({ magnetSlide: 'free' }))).toEqual(['RING_MATCHES', 'MAGNET_OFF']);
  });

  it('is named where it explains the ring better, with the reading that would exclude it', () => {
    const krugerrand = product('krugerrand');
    const peaks = typedPeaks([...genuineHz(krugerrand).values()].map(hz => 1.035 * hz));
    const test = productTest(krugerrand, { massG: krugerrand.massG, peaks });
    const judgement = judgeRing(test);
    expect(judgement.verdict).toBe('INCONCLUSIVE');
    expect(namesOf(judgement)).toEqual(['tungsten', 'tungsten alloy']);
    const [{ fits }] = judgement.fakes;
    expect(fits!.excludableBy).toEqual(['specificGravity']);
    const weighed = judgeRing({ ...test, submergedMassG: inWater(krugerrand.massG, 17.52) });
    // An alloy of tungsten can be made as dense.
    expect(namesOf(weighed)).toEqual(['tungsten alloy']);
  });
});

describe('lead', () => {
  it('is told from gold by a ring that does not die away at once, and else by the thickness', () => {
    const krugerrand = product('krugerrand');
    const peaks = (q: number) =>
      typedPeaks([...genuineHz(krugerrand).values()]).map(peak => ({ ...peak, q }));
    const judge = (q: number, thicknessMm?: number) =>
      judgeRing(
        productTest(krugerrand, {
          ...{ massG: krugerrand.massG, peaks: peaks(q), thicknessMm },
          quality: { snrDb: 40, clippedFraction: 0, strikes: 1 },
        }),
      );
    expect(namesOf(judge(120))).toContain('lead');
    expect(namesOf(judge(120, 2.84))).not.toContain('lead');
    expect(judge(600)).toMatchObject({ verdict: 'PASS' });
    expect(judge(600).fakes.find(({ metal }) => metal === 'lead')!.excludedBy).toContain('decay');
  });
});

describe('a bar', () => {
  const bar: MeasuredPiece = {
    ...{ shape: 'bar', massG: 100, lengthMm: 80, widthMm: 20 },
    material: pieceOfProduct(product('gold-maple-leaf')).material,
  };

  it('of gold is read as tungsten, too, and never as one so thick that it is no bar', () => {
    const fakes = likelyFakes(bar);
    expect(new Set(fakes.map(({ metal }) => metal.name)).has('tungsten')).toBe(true);
    for (const { ratios, thicknessRatio } of fakes) {
      expect(ratios.get('B1')).toBeGreaterThan(0.3);
      expect(thicknessRatio).toBeLessThan(3);
    }
  });
});

describe('the metals of fakes', () => {
  it.each(FAKE_METALS.map(metal => [metal.name, metal] as const))(
    '%s: a range of each constant',
    (_, metal) => {
      for (const [min, max] of [metal.densityGcc, metal.conductivityMSm])
        expect(min).toBeLessThanOrEqual(max);
      expect(metal.poisson).toBeGreaterThan(0.25);
      expect(metal.source).toMatch(/\w/);
    },
  );
});

describe('a reading', () => {
  const marked = [...PRODUCTS.values()].filter(coin => {
    const needs = readingsToPass(productTest(coin, { massG: coin.massG, peaks: [] }));
    return needs === null;
  });
  const near = fc.double({ min: 0.985, max: 1.015, noNaN: true });

  it('that is a little off excludes no fake which it could not tell: what needs enrolment passes by none', () => {
    expect(marked.length).toBeGreaterThan(5);
    fc.assert(
      fc.property(fc.constantFrom(...marked), near, near, near, near, (coin, ring, water, rim, meter) => {
        const { piece, expectedThickness } = productTest(coin, { massG: coin.massG, peaks: [] });
        const { densityGcc, conductivityMSm = 10 } = piece.material;
        const verdictOf = (scaleAccuracyG: number) =>
          judgeRing(
            productTest(coin, {
              ...{ massG: coin.massG, scaleAccuracyG, conductivityMSm: conductivityMSm * meter ** 5 },
              peaks: typedPeaks([...genuineHz(coin).values()].map(hz => hz * ring)),
              submergedMassG: inWater(coin.massG, densityGcc * water),
              thicknessMm: expectedThickness!.expectedMm * rim ** 4,
            }),
          ).verdict;
        expect([verdictOf(0.01), verdictOf(0.001)]).not.toContain('PASS');
      }),
      { numRuns: EVERY === 1 ? 1_000 : 25 },
    );
  });
});

describe('what a genuine piece needs to pass', () => {
  const needs = (id: string) => {
    const coin = product(id);
    return readingsToPass(productTest(coin, { massG: coin.massG, peaks: [] }));
  };

  it('is its ring where the table has it, and its density where theory alone does', () => {
    expect(needs('krugerrand')).toEqual([]);
    expect(needs('silver-philharmonic')).toEqual(['specificGravity']);
    expect(needs('american-platinum-eagle')).toEqual(['specificGravity']);
  });

  it('is a genuine piece enrolled, for gold that theory alone knows', () => {
    for (const coin of PRODUCTS.values()) {
      const isTheory = referenceOfProduct(coin).kind === 'physics';
      if (coin.metal === 'gold')
        expect([coin.productId, needs(coin.productId)]).toEqual([coin.productId, isTheory ? null : []]);
    }
  });
});

// docs/bullion.md has these figures.
it('lets 9 products of the table pass by their ring and 16 with their density, and 40 only after enrolment', () => {
  const needs = [...PRODUCTS.values()].map(coin =>
    readingsToPass(productTest(coin, { massG: coin.massG, peaks: [] })),
  );
  const count = (wanted: string) => needs.filter(each => JSON.stringify(each) === wanted).length;
  expect([count('[]'), count('["specificGravity"]'), count('null'), needs.length]).toEqual([9, 16, 40, 65]);
});

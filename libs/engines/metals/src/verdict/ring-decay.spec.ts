import { readWav, writeWav } from '@svc/recording';
import { RING_RECORDING_BOUNDS } from '../ring/ring-bounds.js';
import { type Product, PRODUCTS } from '../product/product.js';
import { analyseRing } from '../ring/analyse-ring.js';
import { SeededRandom } from '@svc/kernels/testing';
import { type Judgement, judgeRing } from './judge-ring.js';
import { productTest } from './product-test.js';
import { diesAway } from './ring-decay.js';

const RATE_HZ = 48_000;
const coins = ['silver-maple-leaf', 'krugerrand'].map(id => PRODUCTS.get(id) as Product);

/** The verdict on a recording of a coin's own frequencies, each as loud as `envelope` says. */
function judgeTones(coin: Product, envelope: (seconds: number, hz: number) => number): Judgement {
  const random = new SeededRandom(3);
  const tones = Object.values(coin.measuredModesHz ?? {}).map(([hz]) => hz);
  const samples = Float32Array.from({ length: RATE_HZ }, (_, n) => {
    const seconds = n / RATE_HZ;
    const sound = tones.map(hz => envelope(seconds, hz) * Math.sin(2 * Math.PI * hz * seconds + hz));
    return 0.2 * sound.reduce((sum, x) => sum + x, 0) + random.gaussian(0, 1e-4);
  });
  const { peaks, snrDb, clippedFraction, strikes } = analyseRing(
    readWav(writeWav([samples], RATE_HZ), RING_RECORDING_BOUNDS),
  );
  const quality = { snrDb, clippedFraction, strikes };
  return judgeRing(productTest(coin, { massG: coin.massG, peaks, quality }));
}

describe('a tone generator at the frequencies of a coin', () => {
  const envelopes = {
    'that plays on': () => 1,
    'that is switched on': (seconds: number) => (seconds < 0.3 ? 0 : 1),
    'that is switched on and off': (seconds: number) => (seconds > 0.3 && seconds < 0.8 ? 1 : 0),
    'that fades over 5 s': (seconds: number) => (seconds < 0.2 ? 0 : Math.exp((0.2 - seconds) / 5)),
  };

  it.each(Object.entries(envelopes))('%s passes as none', (_name, envelope) => {
    for (const coin of coins) {
      const { verdict, reasons } = judgeTones(coin, envelope);
      expect({ coin: coin.productId, verdict }).toEqual({ coin: coin.productId, verdict: 'INCONCLUSIVE' });
      expect(reasons.map(({ code }) => code)).toContain('NO_DECAY');
    }
  });

  it.each([
    ['of a Q of 800', (hz: number) => 800 / (Math.PI * hz)],
    ['of one decay of a second for all modes', () => 1],
  ])('passes where it dies away as a struck piece does, %s: a recording cannot tell more', (_name, decay) => {
    for (const coin of coins) {
      const rings = (seconds: number, hz: number) =>
        seconds < 0.2 ? 0 : Math.exp((0.2 - seconds) / decay(hz));
      expect(judgeTones(coin, rings).verdict).toBe('PASS');
    }
  });
});

describe('a mode', () => {
  it('dies away where its decay was measured and takes 2 s at most', () => {
    const q = (seconds: number) => Math.PI * 4_000 * seconds;
    expect(diesAway({ measuredHz: 4_000, q: q(1.99) })).toBe(true);
    expect(diesAway({ measuredHz: 4_000, q: q(2.01) })).toBe(false);
    expect(diesAway({ measuredHz: 4_000, q: null })).toBe(false);
    expect(diesAway({ measuredHz: null, q: null })).toBe(false);
  });
});

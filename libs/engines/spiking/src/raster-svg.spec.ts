import { axisTicks } from './plot-axes.js';
import { RASTER_SVG_BYTES_MAX, rasterSvg } from './raster-svg.js';
import { ratesSvg } from './rates-svg.js';
import type { RasterSpike } from './simulation.js';

const PLOT = { rasterNeurons: 100, neuronCount: 1_000, iterations: 1_000, dtMs: 0.1 };
const RATES = {
  meanRateHz: 5.5,
  populationRate: { binMs: 5, ratesHz: [4, 5, 7, 6] },
  rateHistogram: { binHz: 2, counts: [900, 80, 20, 0, 0] },
};

/** Cells that a path of relative horizontal strokes covers: [x, y, length]. */
function strokes(path: string): [number, number, number][] {
  let [x, y] = [0, 0];
  return [...path.matchAll(/([Mmh])(-?[\d.]+)(?: (-?[\d.]+))?/g)].flatMap(([, command, first, second]) => {
    if (command === 'M') [x, y] = [Number(first), Number(second)];
    else x += Number(first);
    return command === 'h' ? [[x - Number(first), y, Number(first)] as [number, number, number]] : [];
  });
}

describe('a raster as a picture', () => {
  const raster: RasterSpike[] = [
    { neuron: 0, stepIndex: 0 },
    { neuron: 500, stepIndex: 500 },
    { neuron: 990, stepIndex: 999 },
  ];
  const picture = rasterSvg({ ...PLOT, raster });
  const [excitatory, inhibitory] = [
    ...picture.matchAll(/<path d="(M[^"]*)" stroke="#[0-9a-f]{6}" stroke-width/g),
  ].map(match => strokes(match[1]));

  it('has a mark at the place of each spike, excitatory and inhibitory apart', () => {
    expect([excitatory.length, inhibitory.length]).toEqual([2, 1]);
    expect(excitatory.map(([x, y]) => [Math.round(x), Math.round(y)])).toEqual([
      [500, 232],
      [80, 422],
    ]);
    const [[x, y, length]] = inhibitory;
    expect([Math.round(x + length), Math.round(y)]).toEqual([920, 46]);
  });

  it('says so where spikes were not kept', () => {
    const cut = rasterSvg({ ...PLOT, raster: raster.slice(0, 2), rasterTruncated: true });
    expect(cut).toContain('not kept');
    expect(cut).toMatch(/<rect x="500\.8" y="44" width="419\.2"/);
    expect(picture).not.toContain('not kept');
  });

  it('stays within its bytes with as many spikes as there can be', () => {
    let state = 1;
    const many = Array.from({ length: 100_000 }, (_, k) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return { neuron: Math.floor((state / 2 ** 32) * 4e6), stepIndex: k };
    });
    const full = rasterSvg({
      raster: many,
      rasterNeurons: 4e6,
      neuronCount: 4e6,
      iterations: 100_000,
      dtMs: 0.1,
    });
    expect(full.length).toBeLessThanOrEqual(RASTER_SVG_BYTES_MAX);
    expect(full.length).toBeGreaterThan(50_000);
  });

  it('is drawn without any spike, and carries neither scripts nor references', () => {
    const empty = rasterSvg({ ...PLOT, raster: [], rasterNeurons: 0 });
    for (const svg of [empty, picture, ratesSvg(RATES)]) {
      expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"[^>]*>.*<\/svg>$/);
      expect(svg).not.toMatch(/script|href|url\(|NaN|Infinity|undefined/);
    }
  });
});

describe('rates as a picture', () => {
  it('has a bar by the count of each bin up to the greatest rate', () => {
    const bars = [
      ...ratesSvg(RATES).matchAll(/<rect x="([\d.]+)" y="[\d.]+" width="[\d.]+" height="([\d.]+)"/g),
    ];
    expect(bars).toHaveLength(3);
    const [first, second, third] = bars.map(([, , height]) => Number(height));
    expect(first / third).toBeCloseTo(45, 0);
    expect(second / third).toBeCloseTo(4, 0);
  });

  it('draws a long run in no more steps than pixels, and silence as a line at 0', () => {
    const ratesHz = Array.from({ length: 100_000 }, (_, k) => k % 9);
    expect(ratesSvg({ ...RATES, populationRate: { binMs: 0.1, ratesHz } }).length).toBeLessThan(40_000);
    const silent = { binMs: 5, ratesHz: [0, 0] };
    const svg = ratesSvg({
      meanRateHz: 0,
      populationRate: silent,
      rateHistogram: { binHz: 1, counts: [10] },
    });
    expect(svg).toContain('M80 224H500L500 224H920');
  });
});

describe('ticks of an axis', () => {
  it.each([
    [0, 950, 6, [0, 200, 400, 600, 800]],
    [0, 1, 5, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [0, 0.3, 3, [0, 0.1, 0.2, 0.3]],
    [0, 4_000_000, 5, [0, 1e6, 2e6, 3e6, 4e6]],
  ])('are round numbers: %s to %s in %s', (from, to, count, ticks) => {
    expect(axisTicks(from, to, count)).toEqual(ticks);
  });
});

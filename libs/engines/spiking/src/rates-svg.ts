import { axesSvg, axisTicks, pictureSvg, pixels, type PlotArea } from './plot-axes.js';
import type { SpikingResult } from './simulation.js';

/** What the rates are drawn from. */
export type RatesPlot = Pick<SpikingResult, 'populationRate' | 'rateHistogram' | 'meanRateHz'>;

const COLOUR = '#1b5e9b';
const OVER_TIME: PlotArea = { left: 80, top: 44, width: 840, height: 180 };
const BY_NEURON: PlotArea = { left: 80, top: 310, width: 840, height: 180 };
const [WIDTH, HEIGHT] = [950, 550];

/** The top of an axis that begins at 0: the next round number. */
function axisTop(greatest: number): number {
  if (greatest <= 0) return 1;
  const [, spacing] = axisTicks(0, greatest, 5);
  return Math.ceil(greatest / spacing - 1e-9) * spacing;
}

/** Means of as many values as a pixel stands for, where there are more values than pixels. */
function perPixel(values: readonly number[], most: number): number[] {
  const group = Math.ceil(values.length / most);
  return Array.from({ length: Math.ceil(values.length / group) }, (_, k) => {
    const own = values.slice(k * group, (k + 1) * group);
    return own.reduce((sum, value) => sum + value, 0) / own.length;
  });
}

function overTime({ populationRate, meanRateHz }: RatesPlot): string {
  const { binMs, ratesHz } = populationRate;
  const values = perPixel(ratesHz, OVER_TIME.width);
  const top = axisTop(values.reduce((greatest, value) => Math.max(greatest, value), 0));
  const bottom = OVER_TIME.top + OVER_TIME.height;
  const y = (rate: number): string => pixels(bottom - (rate / top) * OVER_TIME.height);
  const x = (k: number): string => pixels(OVER_TIME.left + (k / values.length) * OVER_TIME.width);
  // A staircase: a bin has one rate from its begin to its end.
  const line = values.map((rate, k) => `${k === 0 ? 'M' : 'L'}${x(k)} ${y(rate)}H${x(k + 1)}`).join('');
  const timeMs = binMs * ratesHz.length;
  const time =
    timeMs >= 5_000
      ? { label: 'Time (s)', from: 0, to: timeMs / 1000 }
      : { label: 'Time (ms)', from: 0, to: timeMs };
  const mean = `M${OVER_TIME.left} ${y(meanRateHz)}h${OVER_TIME.width}`;
  return (
    axesSvg(OVER_TIME, time, { label: 'Rate (Hz)', from: 0, to: top }) +
    `<path d="${line}" stroke="${COLOUR}" fill="none"/>` +
    `<path d="${mean}" stroke="#888" stroke-dasharray="5 4" fill="none"/>`
  );
}

function byNeuron({ rateHistogram }: RatesPlot): string {
  const { binHz, counts } = rateHistogram;
  const last = counts.reduce((bin, count, k) => (count > 0 ? k : bin), 0);
  const shown = counts.slice(0, last + 1);
  const top = axisTop(shown.reduce((greatest, count) => Math.max(greatest, count), 0));
  const bottom = BY_NEURON.top + BY_NEURON.height;
  const width = BY_NEURON.width / shown.length;
  const bars = shown.map((count, k) => {
    const height = (count / top) * BY_NEURON.height;
    const [x, y] = [pixels(BY_NEURON.left + k * width), pixels(bottom - height)];
    return `<rect x="${x}" y="${y}" width="${pixels(Math.max(width - 1, 0.5))}" height="${pixels(height)}" fill="${COLOUR}"/>`;
  });
  const rates = { label: 'Rate of a neuron (Hz)', from: 0, to: binHz * shown.length };
  return bars.join('') + axesSvg(BY_NEURON, rates, { label: 'Neurons', from: 0, to: top });
}

/**
 * Rate of the population over time, its mean dashed, and how the rates of single neurons are spread: a
 * self-contained picture, some tens of kilobytes at most.
 *
 * @example ratesSvg(result)
 */
export function ratesSvg(plot: RatesPlot): string {
  const heading = `<text class="title" x="20" y="296">Neurons by their rate</text>`;
  const title = `Rate of the population, mean ${plot.meanRateHz.toFixed(2)} Hz`;
  return pictureSvg(WIDTH, HEIGHT, title, overTime(plot) + heading + byNeuron(plot));
}

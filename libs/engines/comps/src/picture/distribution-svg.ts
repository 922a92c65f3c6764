import type { CardValuation, Comp } from '../card-valuation.js';
import { DAY_MS } from '../graded-sale.js';

const WIDTH = 640;
const HEIGHT = 320;
const LEFT = 72;
const RIGHT = 16;
const TOP = 28;
const BOTTOM = 36;
/** Room above and below the outermost price, in log price. */
const MARGIN = 0.08;
const DOT_RADIUS_MAX = 6;

/**
 * The sales as dots over time, larger with more weight, the median as a line and the interval as a band; prices on a
 * logarithmic axis. Shapes and text alone: no script, no style sheet, nothing from outside.
 */
export function distributionSvg(valuation: CardValuation): string {
  const { comps, asOfMs, windowDays } = valuation;
  const scale = priceScale(valuation);
  const across = (soldAtMs: number) =>
    WIDTH - RIGHT - ((asOfMs - soldAtMs) / (windowDays * DAY_MS)) * (WIDTH - LEFT - RIGHT);
  const title = describe(valuation);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" font-family="sans-serif" font-size="12">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    ...bands(valuation, scale),
    ...axes(valuation, scale),
    ...comps.map(comp => dot(comp, across(comp.soldAtMs), scale.at(comp.priceUsd))),
    `<text x="${LEFT}" y="18" fill="#222222">${escapeXml(title)}</text>`,
    '</svg>',
  ].join('\n');
}

interface PriceScale {
  readonly low: number;
  readonly high: number;
  /** Height of a price in the picture. */
  at(priceUsd: number): number;
}

function priceScale({ comps, medianUsd, ci95, ratio }: CardValuation): PriceScale {
  // The sales of a ratio are in another grade: the picture shows those, with that grade's median.
  const ends = ratio ? [ratio.fromMedianUsd] : [medianUsd ?? 1, ...(ci95 ?? [])];
  const prices = [
    ...comps.map(({ priceUsd }) => priceUsd),
    ...(comps.length > 0 && medianUsd === null ? [] : ends),
  ];
  const logs = prices.map(price => Math.log(Math.max(0.01, price)));
  const low = Math.min(...logs) - MARGIN;
  const high = Math.max(...logs) + MARGIN;
  const at = (priceUsd: number) =>
    HEIGHT - BOTTOM - ((Math.log(Math.max(0.01, priceUsd)) - low) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  return { low: Math.exp(low), high: Math.exp(high), at };
}

function bands({ medianUsd, ci95, ratio }: CardValuation, scale: PriceScale): string[] {
  const right = WIDTH - RIGHT;
  const lines: string[] = [];
  if (ci95 !== null && ratio === null) {
    const top = scale.at(ci95[1]);
    lines.push(
      `<rect x="${LEFT}" y="${round(top)}" width="${right - LEFT}" height="${round(scale.at(ci95[0]) - top)}" fill="#d5e5f5"/>`,
    );
  }
  const middle = ratio?.fromMedianUsd ?? medianUsd;
  if (middle !== null) {
    const y = round(scale.at(middle));
    lines.push(`<line x1="${LEFT}" y1="${y}" x2="${right}" y2="${y}" stroke="#0b5cad" stroke-width="2"/>`);
  }
  return lines;
}

function axes({ windowDays }: CardValuation, scale: PriceScale): string[] {
  const ticks = [0, 0.25, 0.5, 0.75, 1].map(part => scale.low * (scale.high / scale.low) ** part);
  const baseline = HEIGHT - BOTTOM;
  return [
    `<line x1="${LEFT}" y1="${baseline}" x2="${WIDTH - RIGHT}" y2="${baseline}" stroke="#888888"/>`,
    `<line x1="${LEFT}" y1="${TOP}" x2="${LEFT}" y2="${baseline}" stroke="#888888"/>`,
    ...ticks.map(
      price =>
        `<text x="${LEFT - 6}" y="${round(scale.at(price) + 4)}" text-anchor="end" fill="#555555">${dollars(price)}</text>`,
    ),
    `<text x="${LEFT}" y="${HEIGHT - 12}" fill="#555555">${windowDays} days before</text>`,
    `<text x="${WIDTH - RIGHT}" y="${HEIGHT - 12}" text-anchor="end" fill="#555555">as of</text>`,
  ];
}

function dot({ saleId, priceUsd, soldAtMs, weight }: Comp, x: number, y: number): string {
  const radius = Math.max(2, DOT_RADIUS_MAX * Math.sqrt(weight));
  const day = new Date(soldAtMs).toISOString().slice(0, 10);
  return `<circle cx="${round(x)}" cy="${round(y)}" r="${round(radius)}" fill="#0b5cad" fill-opacity="0.6"><title>${escapeXml(`${saleId}: ${dollars(priceUsd)} on ${day}`)}</title></circle>`;
}

function describe({ medianUsd, ci95, n, windowDays, ratio }: CardValuation): string {
  if (medianUsd === null || ci95 === null) return `${n} sales in ${windowDays} days: too few for a median`;
  const [low, high] = ci95;
  const interval = `${dollars(medianUsd)} (95 %: ${dollars(low)} to ${dollars(high)})`;
  return ratio
    ? `${interval} by ratio; ${n} sales in grade ${ratio.fromGrade}`
    : `${interval}, ${n} sales in ${windowDays} days`;
}

function dollars(usd: number): string {
  return `$${usd.toFixed(2)}`;
}

function round(length: number): number {
  return Math.round(length * 10) / 10;
}

/** Control characters, and halves of surrogate pairs: XML 1.0 cannot hold them, even escaped. */
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu;

function escapeXml(text: string): string {
  return text
    .replace(NOT_XML, '\ufffd')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/'/g, '&#39;');
}

import { median, medianAbsoluteDeviation, quantileSorted, sampleWithReplacement } from 'simple-statistics';

const DAY_MS = 86_400_000;
const RESAMPLES = 1_000;

/**
 * The same selection of sales by simple-statistics: windows until six are left after rejection, and their plain median.
 *
 * @param {readonly import('@svc/comps').GradedSale[]} sales
 * @param {number} asOfMs
 */
export function peerMedian(sales, asOfMs) {
  const kept = peerSelection(sales, asOfMs);
  return kept.length < 3 ? null : Math.exp(median(kept));
}

/**
 * And the interval that people take: the middle 95 % of the medians of 1,000 resamples.
 *
 * @param {readonly import('@svc/comps').GradedSale[]} sales
 * @param {number} asOfMs
 * @param {number} seed
 */
export function peerInterval(sales, asOfMs, seed) {
  return resampledInterval(peerSelection(sales, asOfMs), seed);
}

function resampledInterval(kept, seed) {
  if (kept.length < 3) return { medianUsd: null, ci95: null };
  const random = mulberry32(seed);
  const medians = Array.from({ length: RESAMPLES }, () =>
    median(sampleWithReplacement(kept, kept.length, random)),
  ).sort((a, b) => a - b);
  const ci95 = [quantileSorted(medians, 0.025), quantileSorted(medians, 0.975)].map(Math.exp);
  return { medianUsd: Math.exp(median(kept)), ci95 };
}

/**
 * As it is done by hand: the plain median of the last 90 days, of the last year where they hold fewer than three sales, and the
 * middle 95 % of 1,000 resamples.
 *
 * @param {readonly import('@svc/comps').GradedSale[]} sales
 * @param {number} asOfMs
 * @param {number} seed
 */
export function naiveInterval(sales, asOfMs, seed) {
  const within = days =>
    sales
      .filter(({ soldAtMs }) => asOfMs - soldAtMs <= days * DAY_MS)
      .map(({ priceUsd }) => Math.log(priceUsd));
  const recent = within(90);
  return resampledInterval(recent.length >= 3 ? recent : within(365), seed);
}

/** Logarithms of the prices that count. */
function peerSelection(sales, asOfMs) {
  let kept = [];
  for (const days of [90, 180, 365]) {
    const logs = sales
      .filter(({ soldAtMs }) => soldAtMs <= asOfMs && asOfMs - soldAtMs <= days * DAY_MS)
      .map(({ priceUsd }) => Math.log(priceUsd));
    if (logs.length === 0) continue;
    const centre = median(logs);
    const scale = Math.max(0.05, 1.4826 * medianAbsoluteDeviation(logs));
    kept = logs.filter(log => Math.abs(log - centre) <= 3.5 * scale);
    if (kept.length >= 6) return kept;
  }
  return kept;
}

function mulberry32(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

import { DAY_MS, type GradedSale } from './graded-sale.js';
import { median } from './weighted-median.js';

/** So many sales make a ring. */
const RING_SALES_MIN = 3;
/** Within so many days, and so near to each other in log price. */
const RING_DAYS = 21;
const RING_WIDTH = 0.05;
/** Days before and after a group whose other sales say what the card sells for. */
const AROUND_DAYS = 30;
const OTHERS_MIN = 4;
/** A ring lies so many scales of the others' prices off them: more for the smallest, less where few hands sold. */
const OFF_SCALES = 2.5;
const OFF_SCALES_OF_THREE = 3;
const OFF_SCALES_OF_FEW_SELLERS = 1.5;
const OFF_MIN = Math.log(1.12);
const SCALE_MIN = 0.05;
const MAD_TO_SIGMA = 1.4826;
const RINGS_MAX = 8;

/** Sales that look like one hand's: many in few days, all at one price that is not the others'. */
export interface WashRing {
  readonly saleIds: readonly string[];
  /** Milliseconds since the epoch, of its first and last sale. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly medianUsd: number;
  /** Its median over that of the sales around it. */
  readonly timesOthers: number;
}

interface Group {
  readonly sales: readonly GradedSale[];
  readonly timesOthers: number;
}

/**
 * Groups of three sales or more within 21 days whose prices lie within 5 % of each other and far from all others of the weeks
 * around them, while the card went on selling at the others' price. A price that jumped for good is no ring: after it nothing
 * sells as before. Sellers, where they are known: few of them for many sales make a group suspicious sooner.
 *
 * @param sales of one card and grade, each once
 * @returns the largest first, eight at most; no sale is in two
 */
export function washRings(sales: readonly GradedSale[]): WashRing[] {
  let left = [...sales].sort((a, b) => a.soldAtMs - b.soldAtMs || a.priceUsd - b.priceUsd);
  const rings: WashRing[] = [];
  while (rings.length < RINGS_MAX) {
    const ring = largestRing(left);
    if (ring === undefined) break;
    const gone = new Set(ring.sales);
    left = left.filter(sale => !gone.has(sale));
    rings.push({
      saleIds: ring.sales.map(({ saleId }) => saleId).sort(),
      fromMs: ring.sales[0].soldAtMs,
      toMs: ring.sales[ring.sales.length - 1].soldAtMs,
      medianUsd: Math.round(100 * median(ring.sales.map(({ priceUsd }) => priceUsd))) / 100,
      timesOthers: ring.timesOthers,
    });
  }
  return rings;
}

function largestRing(sales: readonly GradedSale[]): Group | undefined {
  const levels = rollingMedians(sales);
  return sales
    .map((sale, i) => (Math.abs(Math.log(sale.priceUsd) - levels[i]) < OFF_MIN ? [] : groupFrom(sales, i)))
    .filter(({ length }) => length >= RING_SALES_MIN)
    .sort((a, b) => b.length - a.length)
    .flatMap(group => ringOf(group, sales) ?? [])[0];
}

/** Of each sale the median log price of those around it. */
function rollingMedians(sales: readonly GradedSale[]): number[] {
  let [from, to] = [0, 0];
  return sales.map(({ soldAtMs }) => {
    while (sales[from].soldAtMs < soldAtMs - AROUND_DAYS * DAY_MS) from++;
    while (to < sales.length && sales[to].soldAtMs <= soldAtMs + AROUND_DAYS * DAY_MS) to++;
    return median(sales.slice(from, to).map(({ priceUsd }) => Math.log(priceUsd)));
  });
}

/** The sales from one on that are within some days, and within some percent above it or below it: whichever are more. */
function groupFrom(sales: readonly GradedSale[], from: number): GradedSale[] {
  const { soldAtMs, priceUsd } = sales[from];
  const near = sales.slice(from).filter(sale => sale.soldAtMs - soldAtMs <= RING_DAYS * DAY_MS);
  const within = (low: number, high: number) =>
    near.filter(sale => sale.priceUsd >= priceUsd * low && sale.priceUsd <= priceUsd * high);
  const [above, below] = [within(1, Math.exp(RING_WIDTH)), within(Math.exp(-RING_WIDTH), 1)];
  return above.length >= below.length ? above : below;
}

function ringOf(group: readonly GradedSale[], sales: readonly GradedSale[]): Group | undefined {
  const members = new Set(group);
  const [fromMs, toMs] = [group[0].soldAtMs, group[group.length - 1].soldAtMs];
  const around = AROUND_DAYS * DAY_MS;
  const others = sales.filter(
    sale => !members.has(sale) && sale.soldAtMs >= fromMs - around && sale.soldAtMs <= toMs + around,
  );
  if (others.length < Math.max(OTHERS_MIN, group.length)) return undefined;
  const logs = others.map(({ priceUsd }) => Math.log(priceUsd));
  const centre = median(logs);
  const scale = Math.max(SCALE_MIN, MAD_TO_SIGMA * median(logs.map(log => Math.abs(log - centre))));
  const ofGroup = Math.log(median(group.map(({ priceUsd }) => priceUsd)));
  const off = Math.abs(ofGroup - centre);
  if (off < OFF_MIN || off < scalesOff(group) * scale) return undefined;
  // The card goes on selling at the others' price.
  const later = others.filter(({ soldAtMs }) => soldAtMs >= fromMs).map(({ priceUsd }) => Math.log(priceUsd));
  if (later.length < 2 || Math.abs(median(later) - centre) > Math.abs(median(later) - ofGroup))
    return undefined;
  return { sales: group, timesOthers: Math.exp(ofGroup - centre) };
}

function scalesOff(group: readonly GradedSale[]): number {
  const sellers = group.flatMap(({ seller }) => seller ?? []);
  if (sellers.length >= RING_SALES_MIN && 2 * new Set(sellers).size <= sellers.length)
    return OFF_SCALES_OF_FEW_SELLERS;
  return group.length === RING_SALES_MIN ? OFF_SCALES_OF_THREE : OFF_SCALES;
}

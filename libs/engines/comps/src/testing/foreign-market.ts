import type { GradedSale } from '../graded-sale.js';

/** End of every market, milliseconds since the epoch. */
export const FOREIGN_AS_OF_MS = Date.UTC(2026, 3, 11, 17, 23, 5);
const DAY_MS = 86_400_000;
const DAYS = 365;

/** What kind of market is asked for. */
export interface ForeignMarketOptions {
  /** Which markets: those that something was tuned on are never those that it is measured on. */
  readonly space: 'tuning' | 'measuring';
  readonly index: number;
  /** Genuine sales expected in the year. */
  readonly salesAYear: number;
  /** Share of the recent sales that are wash sales, 0 … 1; default 0.2. */
  readonly washShare?: number;
  /** Days in which the wash sales lie; default drawn, 20 to 90. */
  readonly washDays?: number;
}

/** One card's year: what it truly sells for at its end, and its sales, genuine and wash. */
export interface ForeignMarket {
  readonly trueMedianUsd: number;
  readonly sales: readonly GradedSale[];
  /** Ids of the wash sales. */
  readonly wash: ReadonlySet<string>;
  /** Whether they are one hand's, in a burst at one price, or each at its own. */
  readonly isRing: boolean;
  /** Days before the end at which the price jumped by a tenth or more, and by how much, log price. */
  readonly jumps: readonly { readonly ageDays: number; readonly size: number }[];
}

/**
 * One market of a process that the engine knows nothing of: the daily log price is a sum of Student-t steps, with jumps and
 * seasons on top; sales come by a Poisson process whose rate has seasons too; each sells at the day's price times a
 * skewed, heavy-tailed factor of median 1; a share of the recent ones are wash sales. Every parameter is drawn anew:
 *
 * - volatility 15 to 60 % a year: single shares lie there (J. Y. Campbell, M. Lettau, B. G. Malkiel, Y. Xu, Journal of Finance
 *   56, 2001), and a Kobe Bryant PSA 10 that fell by 49 % in ten weeks of 2021 beyond (one37pm.com, basketball-hall-of-fame-card-prices);
 * - 2.5 to 6 degrees of freedom of the daily steps: 3 in L. Schoeffel (arXiv 1110.1006), tail exponents of 4.3 to 4.6 in
 *   P. Suárez-García, D. Gómez-Ullate (arXiv 1208.0317);
 * - up to 3 jumps a year of 10 to 62 %: +15, +27 and +62 % after single performances (giantsportscards.com,
 *   how-regular-season-performance-impacts-player-card-worth); that single assets jump at news a few times a year: S. S. Lee, P. A.
 *   Mykland, Review of Financial Studies 21, 2008;
 * - seasons of up to ± 10 %, and 2 % more at weekends (C. Wood, R. Kauffman on eBay's coins, The Economist, 8 November 2001);
 * - factors with a scale of 6 to 22 % and 3 to 8 degrees of freedom, and a venue that sells up to 15 % dearer: S. Luo, Price
 *   Dispersion in the Online Auction Markets (EERI 07/2009); J. Brown, J. Morgan found 20 to 60 % between two sites for coins (2005);
 * - wash sales at 1.2 to 2.5 times the price, in a burst by one hand or spread: of tokens, 1.5 % of the sales made some half of
 *   the volume (hildobby's figures, December 2022), so they sell dearer. One in ten sets sells as much cheaper.
 *
 * Nothing of the engine is used: its own random numbers, its own distributions.
 */
export function foreignMarket(options: ForeignMarketOptions): ForeignMarket {
  const { space, index, salesAYear, washShare = 0.2 } = options;
  const draw = new Draws([space === 'tuning' ? 0x7e57 : 0x3ea5, index, Math.round(salesAYear * 16), 77]);
  const { levels, jumps } = dailyLevels(draw);
  const season = { amplitude: draw.between(0, 0.1), phase: draw.between(0, 2 * Math.PI) };
  const levelAt = (day: number) =>
    levels[Math.min(DAYS, Math.max(0, Math.floor(day)))] +
    season.amplitude * Math.sin((2 * Math.PI * day) / DAYS + season.phase);
  const noise = {
    scale: draw.between(0.06, 0.22),
    freedom: draw.between(3, 8),
    skew: draw.between(0.75, 1.35),
  };
  const dearVenue = draw.between(0, 0.15);
  const soldAs = (day: number, logPrice: number, prefix: string, i: number, dear: boolean): GradedSale => ({
    saleId: `${prefix}${i}`,
    priceUsd: Math.max(0.01, Math.round(Math.exp(logPrice) * 100) / 100),
    soldAtMs: FOREIGN_AS_OF_MS - Math.round((DAYS - day) * DAY_MS),
    venue: dear ? 'Far Hill Rooms' : 'Openbid',
    saleType: draw.uniform() < 0.6 ? 'auction' : draw.uniform() < 0.7 ? 'fixed' : 'best_offer',
    verified: draw.uniform() < 0.7,
  });

  const dearShare = draw.between(0, 0.5);
  const venues = [
    { share: 1 - dearShare, shift: 0 },
    { share: dearShare, shift: dearVenue },
  ];
  const days = saleDays(draw, salesAYear);
  const genuine = days.map((day, i) => {
    const dear = draw.uniform() < dearShare;
    // Two percent more at weekends, around what the week's middle sale brings.
    const weekend = (Math.floor(day) + 3) % 7 < 2 ? 0.02 : 0;
    const factor = noise.scale * draw.skewedStudent(noise.freedom, noise.skew);
    return soldAs(day, levelAt(day) + weekend + factor + (dear ? dearVenue : 0), 'g', i, dear);
  });
  const washDays = options.washDays ?? draw.between(20, 90);
  const isRing = draw.uniform() < 0.5;
  const wash = washSales(draw, {
    isRing,
    count: draw.rounded((washShare / (1 - washShare)) * days.filter(day => day >= DAYS - washDays).length),
    washDays,
    levelAt,
  }).map(({ day, logPrice }, i) => soldAs(day, logPrice, 'w', i, false));
  return {
    trueMedianUsd: Math.exp(levelAt(DAYS) + medianFactor(noise, venues)),
    sales: [...genuine, ...wash],
    wash: new Set(wash.map(({ saleId }) => saleId)),
    isRing,
    jumps,
  };
}

/** Log price of each day, from the first to the day of the end. */
function dailyLevels(draw: Draws) {
  const volatility = draw.between(0.15, 0.6);
  const freedom = draw.between(2.5, 6);
  const jumpsAYear = draw.between(0, 3);
  // A t variate of ν degrees has the variance ν / (ν − 2).
  const step = (volatility / Math.sqrt(DAYS)) * Math.sqrt((freedom - 2) / freedom);
  const levels = [Math.log(draw.between(20, 2_000))];
  const jumps: { ageDays: number; size: number }[] = [];
  for (let day = 1; day <= DAYS; day++) {
    let change = step * draw.student(freedom);
    if (draw.uniform() < jumpsAYear / DAYS) {
      const size = Math.log(1 + draw.between(0.1, 0.62)) * (draw.uniform() < 0.5 ? 1 : -1);
      jumps.push({ ageDays: DAYS - day, size });
      change += size;
    }
    levels.push(levels[day - 1] + change);
  }
  return { levels, jumps };
}

/** Days of the sales by a Poisson process whose rate has a season. */
function saleDays(draw: Draws, salesAYear: number): number[] {
  const depth = draw.between(0, 0.6);
  const phase = draw.between(0, 2 * Math.PI);
  const days: number[] = [];
  for (let day = (draw.exponential() / (salesAYear * (1 + depth))) * DAYS; day < DAYS;) {
    // Thinned (P. A. W. Lewis, G. S. Shedler, 1979).
    const rate = 1 + depth * Math.sin((2 * Math.PI * day) / DAYS + phase);
    if (draw.uniform() * (1 + depth) < rate) days.push(day);
    day += (draw.exponential() / (salesAYear * (1 + depth))) * DAYS;
  }
  return days;
}

interface WashPlan {
  readonly isRing: boolean;
  readonly count: number;
  readonly washDays: number;
  readonly levelAt: (day: number) => number;
}

function washSales(
  draw: Draws,
  { isRing, count, washDays, levelAt }: WashPlan,
): { day: number; logPrice: number }[] {
  const sign = draw.uniform() < 0.9 ? 1 : -1;
  const ofRing = Math.log(draw.between(1.2, 2.5));
  const burstDays = Math.min(washDays, draw.between(3, 21));
  const burstEnd = DAYS - draw.between(0, washDays - burstDays);
  const start = levelAt(burstEnd - burstDays);
  return Array.from({ length: count }, () => {
    if (isRing) {
      const day = burstEnd - draw.between(0, burstDays);
      return { day, logPrice: start + sign * ofRing + draw.between(-0.03, 0.03) };
    }
    const day = DAYS - draw.between(0, washDays);
    return { day, logPrice: levelAt(day) + sign * Math.log(draw.between(1.2, 2.5)) };
  });
}

/** Log of the median factor of a sale at one of the venues, found by halving. */
function medianFactor(
  noise: { readonly scale: number; readonly freedom: number; readonly skew: number },
  venues: readonly { readonly share: number; readonly shift: number }[],
): number {
  let [low, high] = [-1, 1];
  for (let halving = 0; halving < 24; halving++) {
    const middle = (low + high) / 2;
    const below = venues.reduce(
      (sum, { share, shift }) => sum + share * skewedStudentBelow((middle - shift) / noise.scale, noise),
      0,
    );
    if (below < 0.5) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** P(X < x) of a skewed Student variate, by T. Simpson's rule over tan of the angle, which makes the tail finite. */
function skewedStudentBelow(x: number, { freedom, skew }: { freedom: number; skew: number }): number {
  const reach = Math.atan((x > 0 ? x / skew : -x * skew) / Math.sqrt(freedom));
  const half = cosinePower(reach, freedom - 1) / cosinePower(Math.PI / 2, freedom - 1) / 2;
  return x > 0 ? 0.5 + half : 0.5 - half;
}

/** ∫ cosᵖ from 0 on. */
function cosinePower(to: number, power: number): number {
  const steps = 32;
  let sum = 0;
  for (let i = 0; i <= steps; i++)
    sum +=
      (i === 0 || i === steps ? 1 : i % 2 === 1 ? 4 : 2) * Math.max(0, Math.cos((to * i) / steps)) ** power;
  return (sum * to) / steps / 3;
}

/** Random numbers by C. Doty-Humphrey's sfc32, and the distributions that a market is drawn from. */
class Draws {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  constructor([a, b, c, d]: readonly number[]) {
    [this.#a, this.#b, this.#c, this.#d] = [a | 0, b | 0, c | 0, d | 0];
    for (let i = 0; i < 16; i++) this.uniform();
  }

  uniform(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#d) | 0;
    this.#d = (this.#d + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (this.#c << 21) | (this.#c >>> 11);
    this.#c = (this.#c + sum) | 0;
    return (sum >>> 0) / 4_294_967_296;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.uniform();
  }

  /** One of the two integers beside a number, so that its mean is the number. */
  rounded(value: number): number {
    return Math.floor(value + this.uniform());
  }

  exponential(): number {
    return -Math.log(1 - this.uniform());
  }

  /** G. Marsaglia's polar method. */
  normal(): number {
    for (;;) {
      const [x, y] = [this.between(-1, 1), this.between(-1, 1)];
      const square = x * x + y * y;
      if (square > 0 && square < 1) return x * Math.sqrt((-2 * Math.log(square)) / square);
    }
  }

  /** Gamma of scale 1 (G. Marsaglia, W. W. Tsang, 2000), the shape at least 1. */
  gamma(shape: number): number {
    const d = shape - 1 / 3;
    const c = 1 / Math.sqrt(9 * d);
    for (;;) {
      const x = this.normal();
      const v = (1 + c * x) ** 3;
      if (v > 0 && Math.log(1 - this.uniform()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
    }
  }

  student(freedom: number): number {
    return this.normal() / Math.sqrt((2 * this.gamma(freedom / 2)) / freedom);
  }

  /** Of median 0, its upper half `skew` times as wide as it would be, its lower half as much narrower. */
  skewedStudent(freedom: number, skew: number): number {
    const x = this.student(freedom);
    return x > 0 ? x * skew : x / skew;
  }
}

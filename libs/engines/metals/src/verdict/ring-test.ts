import type { ExpectedThickness } from './piece-checks.js';
import type { RingPeak } from '../ring-peak.js';
import type { MeasuredPiece, RingReference } from '../product/reference.js';

/** How well a recording can be trusted; nothing of it is known of peaks that somebody has typed in. */
export interface RingQuality {
  /** Level of the strongest peak over the noise around it, dB. */
  readonly snrDb: number;
  /** Samples at full scale, parts of one. */
  readonly clippedFraction: number;
  /** Strikes that were heard. */
  readonly strikes: number;
}

/** A piece with all that was measured of it, and what it is said to be. */
export interface RingTest {
  readonly piece: MeasuredPiece;
  readonly reference: RingReference;
  readonly peaks: readonly RingPeak[];
  readonly quality?: RingQuality;
  readonly massG: number;
  /** What it should weigh, where that is known. */
  readonly expectedMassG?: number;
  readonly massTolerancePercent?: number;
  /** What other strikes of the same name weigh, grams. */
  readonly otherEditionsG?: readonly number[];
  readonly expectedDiameterMm?: number;
  readonly diameterMm?: number;
  /** At the rim. */
  readonly expectedThickness?: ExpectedThickness;
  readonly thicknessMm?: number;
  readonly submergedMassG?: number;
  /** How far a reading of the scale may lie off, grams; 0.01 where it is not told. */
  readonly scaleAccuracyG?: number;
  /** What a conductivity meter shows, megasiemens per metre. */
  readonly conductivityMSm?: number;
  readonly magnetSlide?: MagnetSlide;
}

/** What a strong magnet does on a tilted piece: it sticks, or slides as on wood, or slower than that. */
export type MagnetSlide = 'sticks' | 'free' | 'slow';

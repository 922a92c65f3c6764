/** One resonance that was heard in a ring, or that a caller has measured. */
export interface RingPeak {
  /** Middle of the two lines where it is a doublet, hertz. */
  readonly frequencyHz: number;
  /** Standard uncertainty of the frequency, hertz. */
  readonly uncertaintyHz: number;
  /** Level over that of the strongest peak, dB, at most 0. */
  readonly levelDb: number;
  /** Level over the noise around it, dB. */
  readonly snrDb: number;
  /** Quality factor π f τ; null where the decay could not be measured. */
  readonly q: number | null;
  /** Distance of the two lines that a not quite round piece splits a mode into, hertz; null where one line is heard. */
  readonly splitHz: number | null;
}

/** The metals that pieces are sold as. */
export const PRECIOUS_METALS = ['gold', 'silver', 'platinum', 'palladium'] as const;

export type PreciousMetal = (typeof PRECIOUS_METALS)[number];

/** What gold is alloyed with. */
export type AlloyId = 'copper' | 'silver-copper';

/** Of annealed copper, MS/m: what 100 % IACS is. */
export const IACS_MSM = 58;
/** Meters, temperature and relief, MS/m: what their makers say at the least. */
const METER_MSM = 1.5;
/** And of what is read, percent: alloys of one fineness differ. */
const ALLOY_PERCENT = 8;

type ByFineness = readonly (readonly [fineness: number, msm: number])[];
/** By fineness, parts of one. Between the alloys of gold it falls too steeply to be told. */
const CONDUCTIVITIES: Readonly<Record<Exclude<PreciousMetal, 'gold'> | AlloyId, ByFineness>> = {
  copper: [
    [0.9, 8.9],
    [0.9167, 9.7],
    [0.986, 26.5],
    [0.9995, 45],
  ],
  'silver-copper': [
    [0.9167, 11.1],
    [0.9995, 45],
  ],
  silver: [
    [0.835, 49],
    [0.9, 51],
    [0.925, 51],
    [0.958, 52.5],
    [0.9995, 61],
  ],
  platinum: [[0.9995, 9.1]],
  palladium: [[0.9995, 9.3]],
};
const FINENESS_NEAR = 0.001;

/**
 * What a conductivity meter shows on a precious metal, megasiemens per metre at 20 °C; undefined for an alloy that no table has.
 * Source: gold-analytix.de, reference values of conductivity meters.
 *
 * @param fineness parts of one
 * @param alloy of gold; the middle of the two where it is not known
 * @example conductivityOf('gold', 0.9999) // 45
 */
export function conductivityOf(metal: PreciousMetal, fineness: number, alloy?: AlloyId): number | undefined {
  const tables = metal === 'gold' ? (alloy ? [alloy] : (['copper', 'silver-copper'] as const)) : [metal];
  const found = tables.flatMap(table =>
    CONDUCTIVITIES[table].flatMap(([of, msm]) => (Math.abs(of - fineness) <= FINENESS_NEAR ? [msm] : [])),
  );
  return found.length === 0 ? undefined : found.reduce((sum, msm) => sum + msm, 0) / found.length;
}

/** How far a genuine piece may be read off its metal's conductivity, percent. */
export const conductivityTolerancePercent = (msm: number): number =>
  Math.max(ALLOY_PERCENT, (100 * METER_MSM) / msm);

/** Highest frequency that meters of coins use, hertz: it sees least far into the metal. */
const METER_HZ = 480_000;
const MAGNETIC_CONSTANT = 4e-7 * Math.PI;

/**
 * Least and most that a meter may show on a core under a skin: eddy currents run in the skin and below it. Which frequency a
 * meter uses is not known, so what it sees lies between the core alone and what the highest of them makes of both.
 *
 * @param skinMm thickness of the skin that the meter is held to, mm
 */
export function conductivityUnderSkin(
  [min, max]: readonly [min: number, max: number],
  skinMSm: number,
  skinMm: number,
): [min: number, max: number] {
  const depthMm = 1_000 / Math.sqrt(Math.PI * METER_HZ * MAGNETIC_CONSTANT * skinMSm * 1e6);
  const skinShare = 1 - Math.exp((-2 * skinMm) / depthMm);
  const seen = (coreMSm: number) => coreMSm + (skinMSm - coreMSm) * skinShare;
  return [Math.min(min, seen(min)), Math.max(max, seen(max))];
}

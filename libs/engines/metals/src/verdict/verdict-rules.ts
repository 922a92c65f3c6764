import type { RingTest } from './ring-test.js';
import {
  agrees,
  CLIPPED_FRACTION_MAX,
  contradicts,
  doubtOfTheory,
  isMeasured,
  type Judgement,
  MODES_MIN,
  SNR_DB_MIN,
  SNR_DB_REFUSES,
  STRIKES_MAX,
  Z_AGREES,
} from './judge-ring.js';
import type { Check } from './piece-checks.js';
import { diesAway } from './ring-decay.js';
import { FIGURE_DECIMALS, figureText } from './verdict-figure.js';

/** Version of the rules that verdicts are given by. */
export const RING_RULESET_ID = 'bullion-ring/v3';

/** A rule before it is applied: whether value ≥ threshold, decimal texts. */
export interface VerdictRule {
  readonly id: string;
  readonly statement: string;
  readonly decimals: number;
  readonly value: string;
  readonly threshold: string;
}

/** The rules that a judgement was made by, with the figures it was made from; "at most" swaps the two sides. */
export function verdictRules(test: RingTest, judgement: Judgement): VerdictRule[] {
  const { match, massCheck, dimensionChecks, densityCheck, conductivityCheck, fakes } = judgement;
  const notExcluded = fakes.filter(({ fits }) => fits).length;
  const agreeing = match.modes.filter(agrees);
  const against = match.modes.filter(contradicts).length;
  const measured = agreeing.filter(isMeasured).length + (doubtOfTheory(judgement) === undefined ? 1 : 0);
  return [
    ...match.modes.flatMap(({ reference: { mode }, z }) =>
      z === null ? [] : [rule(`mode-${mode}`, `mode ${mode} agrees: ${Z_AGREES} ≥ z`, Z_AGREES, z)],
    ),
    rule('modes-agree', `modes that agree ≥ ${MODES_MIN}`, agreeing.length, MODES_MIN),
    rule('modes-against-pass', '0 ≥ modes with z > 4, for a PASS', 0, against),
    rule('modes-against-fail', `modes with z > 4 ≥ ${MODES_MIN}, for a FAIL`, against, MODES_MIN),
    rule(
      'beyond-theory',
      'modes that agree with genuine pieces, and the density with the lowest mode where they confirm theory, ≥ 1',
      measured,
      1,
    ),
    rule('fakes-excluded', '0 ≥ metals of fakes that explain the readings as well', 0, notExcluded),
    ...(massCheck ? [within('mass', 'mass', massCheck)] : []),
    ...dimensionChecks.map(check => within(check.dimension, check.dimension, check)),
    ...(densityCheck ? [within('specific-gravity', 'specific gravity', densityCheck)] : []),
    ...(conductivityCheck ? [within('conductivity', 'conductivity', conductivityCheck)] : []),
    ...magnetRules(judgement),
    ...qualityRules(test, agreeing.filter(diesAway).length),
  ];
}

const magnetRules = ({ magnetAgrees }: Judgement): VerdictRule[] =>
  magnetAgrees === null
    ? []
    : [rule('magnet', 'a magnet does what it does on this metal: 1 ≥ 1', magnetAgrees ? 1 : 0, 1)];

function qualityRules({ quality }: RingTest, dyingAway: number): VerdictRule[] {
  if (!quality) return [];
  const { clippedFraction, snrDb, strikes } = quality;
  const clippedMax = 100 * CLIPPED_FRACTION_MAX;
  return [
    rule('clipped', `${clippedMax} ≥ clipped samples, percent`, clippedMax, 100 * clippedFraction),
    rule('noise', `ring over noise, dB, ≥ ${SNR_DB_MIN}`, snrDb, SNR_DB_MIN),
    rule('noise-fail', `ring over noise, dB, ≥ ${SNR_DB_REFUSES}, for a FAIL`, snrDb, SNR_DB_REFUSES),
    rule('dies-away', `modes that agree and are heard to die away ≥ ${MODES_MIN}`, dyingAway, MODES_MIN),
    rule('strikes', `${STRIKES_MAX} ≥ strikes`, STRIKES_MAX, strikes),
  ];
}

const within = (id: string, name: string, { tolerancePercent, deviationPercent }: Check) =>
  rule(id, `tolerance ≥ deviation of the ${name}, percent`, tolerancePercent, Math.abs(deviationPercent));

function rule(id: string, statement: string, value: number, threshold: number): VerdictRule {
  return {
    id,
    statement,
    decimals: FIGURE_DECIMALS,
    value: figureText(value),
    threshold: figureText(threshold),
  };
}

import type { RingTestCall, VerifyBullionResult } from '@svc/contracts';
import {
  type Check,
  fineMassG,
  type Judgement,
  middleOf,
  type PreciousMetal,
  type RingTest,
  spectrumSvg,
} from '@svc/metals';
import type { HeardRing, RecordedRing } from './heard-ring.js';
import type { MeltQuote } from './spot-quote.js';

/** What this test cannot tell, whatever it says. */
export const RING_LIMITS: readonly string[] = [
  'A tungsten core thinner than 0.3 of the thickness (0.4 in 22 carat gold), and a private strike in the right metal, pass; fakes of metals that `fakes` does not name were not asked about.',
  'Silver of .925 and of .999 ring within 2 % of one another, less than coins of one issue differ: the ring cannot tell them apart, the specific gravity can.',
  'A disc of another metal with the right mass and diameter may ring alike and be twice or half as thick (lead for gold, tungsten or palladium for silver): send thicknessMm or submergedMassG.',
  'Reference frequencies of the table are good to ± 4 %, reckoned ones to ± 10 % (k = 2), and the table’s pieces are not our own.',
  'It says nothing of age, rarity, mint mark or condition: the melt value is that of the metal alone.',
  'SELF_REPORTED peaks are believed as they are: published figures could have been typed in. A RECORDING may be of another piece; CHALLENGED says that it was made now.',
];

export const RING_DOES_NOT_PROVE =
  'That the piece is genuine, or that the recording and the weights are of it: only which frequencies, weights and rules gave this verdict.';

/** What a piece was held against. */
export interface AnsweredPiece {
  readonly productId?: string;
  readonly name: string;
  readonly metal: PreciousMetal;
  readonly fineness: number;
  /** What it should weigh, where that is known. */
  readonly massG: number | null;
}

export type BullionAnswer = Omit<
  VerifyBullionResult,
  'starkRoot' | 'disclosure' | 'disclosureProof' | 'auditProof'
>;

/** The answer to a ring test, without its evidence. */
export function answerOf(
  request: RingTestCall,
  piece: AnsweredPiece,
  test: RingTest,
  judgement: Judgement,
  { heard, quote }: { heard: HeardRing; quote: MeltQuote },
): BullionAnswer {
  const { verdict, reasons, match, massCheck, dimensionChecks, densityCheck } = judgement;
  const { conductivityCheck, magnetAgrees, fakes } = judgement;
  return {
    verdict,
    reasons: reasons.map(({ code, text }) => ({ code, text })),
    product: piece,
    reference: { kind: test.reference.kind, source: test.reference.source },
    modes: match.modes.map(({ reference, measuredHz, z, q, splitHz }) => ({
      n: reference.mode,
      basis: reference.basis,
      expectedHz: round(middleOf(reference.linesHz), 2),
      measuredHz: measuredHz && round(measuredHz, 2),
      z,
      q: q && round(q, 1),
      splitHz: splitHz && round(splitHz, 2),
    })),
    massCheck: massCheck && massCheckOf(massCheck),
    dimensionChecks: dimensionChecks.map(check => ({ dimension: check.dimension, ...checkOf(check) })),
    specificGravity: densityCheck && round(densityCheck.measured, 3),
    specificGravityCheck: densityCheck && checkOf(densityCheck),
    conductivityCheck: conductivityCheck && checkOf(conductivityCheck),
    magnetAgrees,
    fakes: fakes.map(fakeOf),
    evidenceLevel: heard.evidenceLevel,
    recording: heard.recorded ? recordingOf(heard.recorded) : null,
    fineMassG: fineMassG(request.massG, piece.fineness),
    ...quote,
    limits: [...RING_LIMITS],
    ...(request.spectrumSvg ? { spectrumSvg: pictureOf(test, heard) } : {}),
    charged: verdict !== 'INCONCLUSIVE',
  };
}

const fakeOf = ({ metal, excludedBy, fits }: Judgement['fakes'][number]) => ({
  ...{ metal, excludedBy: [...excludedBy] },
  fits: fits && {
    coreShare: [...fits.share],
    thickerPercent: round(fits.thickerPercent, 1),
    excludableBy: [...fits.excludableBy],
  },
});

const round = (value: number, digits: number) => Math.round(value * 10 ** digits) / 10 ** digits;

const checkOf = ({ expected, measured, deviationPercent, tolerancePercent, withinTolerance }: Check) => ({
  expected: round(expected, 4),
  measured: round(measured, 4),
  ...{ deviationPercent, tolerancePercent, withinTolerance },
});

function massCheckOf(check: Check) {
  const { expected: expectedG, measured: measuredG, ...rest } = checkOf(check);
  return { expectedG, measuredG, ...rest };
}

function recordingOf({ sha256, recording, analysis }: RecordedRing) {
  const { sampleRateHz, durationSeconds, channels, clippedFraction } = recording;
  return {
    ...{ sampleRateHz, durationSeconds: round(durationSeconds, 3), channels, sha256 },
    clippedPercent: round(100 * clippedFraction, 4),
    snrDb: round(analysis.snrDb, 4),
    peaks: analysis.peaks.map(({ frequencyHz, uncertaintyHz, levelDb, q }) => ({
      frequencyHz: round(frequencyHz, 2),
      uncertaintyHz: round(uncertaintyHz, 3),
      levelDb: round(levelDb, 1),
      q: q && round(q, 1),
    })),
  };
}

const pictureOf = ({ reference }: RingTest, { peaks, recorded }: HeardRing) =>
  spectrumSvg(
    recorded?.analysis.spectrum ?? null,
    peaks,
    reference.modes.map(({ mode, linesHz }) => ({ label: mode, frequencyHz: middleOf(linesHz) })),
  );

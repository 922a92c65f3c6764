import { readFileSync } from 'node:fs';
import {
  analyseRing,
  DISC_MODES,
  discFrequencyHz,
  judgeRing,
  massEquivalentThicknessMm,
  PRODUCTS,
  productTest,
  readingsToPass,
  RING_RECORDING_BOUNDS,
} from '@svc/metals';
import { SeededRandom } from '@svc/metals/testing';
import { readWav, writeWav } from '@svc/recording';

const PIECES = new URL('./fem-pieces.json', import.meta.url);
const RATE_HZ = 48_000;
const SNR_DB = 25;
const SCALE_G = 0.01;
const CALIPER_MM = 0.02;
/** How far pieces of one issue lie from one another, as a whole and by mode, parts of one. */
const PIECE_SCATTER = 0.01;
const MODE_SCATTER = 0.006;
/** How far a handbook's modulus lies off the metal of an issue, parts of one. */
const MODULUS_SCATTER = 0.03;
const METER_HZ = 60_000;
/** One of the table, one that theory passes with its density, one that needs enrolment. */
const SMOKE_COINS = ['krugerrand', 'silver-philharmonic', 'gold-panda'];

/** What is sent beside ring and mass. */
const READINGS = [
  ['ring, mass, diameter', []],
  ['and thickness', ['thicknessMm']],
  ['and density, a scale good to 10 mg', ['thicknessMm', 'submergedMassG']],
  ['and density, a scale good to 1 mg', ['thicknessMm', 'submergedMassG', 'scaleAccuracyG']],
  ['and conductivity', ['thicknessMm', 'submergedMassG', 'scaleAccuracyG', 'conductivityMSm']],
];

/**
 * Verdicts on pieces whose modes come from finite elements in three dimensions (fem.py), and whose recordings are made here: nothing
 * of the engine's theory or of its own generator is in them. Of coins with a published table the ratio of fake to genuine is taken, of
 * others the frequency as it is.
 */
export function femVerdicts(report, { recordings, seed }) {
  const { coins, flat, versions } = JSON.parse(readFileSync(PIECES, 'utf8'));
  flatDiscs(report, flat);
  reliefs(report, coins);
  const random = new SeededRandom(seed);
  const genuineEach = Math.max(1, Math.min(20, Math.round(recordings / 50)));
  const isSmall = recordings < 100;
  const coinsUsed = Object.entries(coins).filter(([name]) => !isSmall || SMOKE_COINS.includes(name));
  const pieces = coinsUsed.flatMap(([productId, all]) => piecesOf(productId, all, genuineEach, random));
  const heard = pieces.map(piece => ({ ...piece, ...hear(piece, random) }));
  const passing = new Map();
  for (const [name, readings] of READINGS) {
    const scores = heard.map(piece => ({ piece, verdict: judged(piece, readings) }));
    report.table(`pieces by finite elements, ${SNR_DB} dB: ${name}`);
    report.row(
      'genuine, of the table',
      shares(scores, ({ isGenuine, isTable }) => isGenuine && isTable),
    );
    report.row(
      'genuine, by theory, not marked',
      shares(scores, ({ isGenuine, isTable, isMarked }) => isGenuine && !isTable && !isMarked),
    );
    report.row(
      'genuine, by theory, marked',
      shares(scores, ({ isGenuine, isTable, isMarked }) => isGenuine && !isTable && isMarked),
    );
    report.row(
      'fakes that differ',
      shares(scores, ({ isGenuine, differs }) => !isGenuine && differs),
    );
    passing.set(name, passed(scores));
  }
  for (const [name, names] of passing)
    report.note(`Fakes that PASS by ${name}: ${names.length === 0 ? 'none' : names.join('; ')}.`);
  const [all, full] = [READINGS.at(-1)[0], READINGS.at(-2)[0]];
  verdictsOf(
    report,
    heard,
    passing.get(all).length,
    READINGS.at(-1)[1],
    READINGS.find(([name]) => name === full)[1],
  );
  report.note(
    `Finite elements: ${Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', ')}.`,
  );
}

/** How far the theory of plates, as the engine has it, lies off finite elements, where neither rim nor relief is. */
function flatDiscs(report, discs) {
  report.table('the engine’s theory less finite elements, flat discs, percent');
  for (const { massG, diameterMm, modesHz, ...solid } of discs) {
    const thicknessMm = massEquivalentThicknessMm(massG, diameterMm, solid.densityGcc);
    const off = ([name, hz]) => [
      `${name} %`,
      100 * (discFrequencyHz(DISC_MODES[name], { diameterMm, thicknessMm }, solid) / hz - 1),
    ];
    report.row(`${massG} g, ${diameterMm} mm`, Object.fromEntries(Object.entries(modesHz).map(off)));
  }
}

/** How far finite elements with a rim and an even relief lie off what genuine pieces were published to ring at. */
function reliefs(report, coins) {
  report.table('finite elements with rim and relief less the published table, percent');
  for (const [productId, [genuine]] of Object.entries(coins)) {
    const table = PRODUCTS.get(productId).measuredModesHz;
    if (!table) continue;
    const off = ([name, lines]) => [`${name} %`, 100 * (middle(genuine.modesHz[name]) / middle(lines) - 1)];
    report.row(productId, Object.fromEntries(Object.entries(table).map(off)));
  }
}

function verdictsOf(report, heard, passes, all, weighed) {
  const share = (readings, wanted, verdict) => {
    const some = heard.filter(wanted);
    return (100 * some.filter(piece => judged(piece, readings) === verdict).length) / some.length;
  };
  const table = ({ isGenuine, isTable }) => isGenuine && isTable;
  const theory = ({ isGenuine, isTable, isMarked }) => isGenuine && !isTable && !isMarked;
  report.verdict('fakes that differ and PASS with every reading', passes, 'at most', 0);
  report.verdict(
    'genuine pieces of the table that PASS, percent',
    share(weighed, table, 'PASS'),
    'at least',
    80,
  );
  report.verdict('genuine pieces of the table that FAIL, percent', share(all, table, 'FAIL'), 'at most', 1);
  report.verdict(
    'genuine pieces by theory, not marked, that PASS, percent',
    share(weighed, theory, 'PASS'),
    'at least',
    50,
  );
}

function piecesOf(productId, [genuine, ...fakes], genuineEach, random) {
  const product = PRODUCTS.get(productId);
  const needs = readingsToPass(productTest(product, { massG: product.massG, peaks: [] }));
  const isTable = product.measuredModesHz !== undefined;
  const shown = piece => conductivityShown(piece, genuine);
  const common = { product, isTable, isMarked: needs === null };
  const real = Array.from({ length: genuineEach }, () => ({
    ...{ ...common, ...genuine, isGenuine: true, name: productId, shownMSm: shown(genuine) },
    modesHz: isTable ? product.measuredModesHz : scaled(genuine.modesHz, modulus(random)),
  }));
  const others = fakes.map(fake => ({
    ...{ ...common, ...fake, isGenuine: false, shownMSm: shown(fake) },
    name: `${productId} of ${fake.core} (${fake.share})`,
    differs: differs(fake, genuine),
    modesHz: isTable ? byRatio(product.measuredModesHz, fake.modesHz, genuine.modesHz) : fake.modesHz,
  }));
  return [...real, ...others];
}

const modulus = random => Math.sqrt(1 + random.gaussian(0, MODULUS_SCATTER));
const scaled = (modes, by) =>
  Object.fromEntries(Object.entries(modes).map(([name, lines]) => [name, lines.map(hz => hz * by)]));
const middle = lines => lines.reduce((sum, hz) => sum + hz, 0) / lines.length;

const byRatio = (table, fake, genuine) =>
  Object.fromEntries(
    Object.entries(genuine).flatMap(([name, lines]) => {
      if (!fake[name]) return [];
      const ratio = middle(fake[name]) / middle(lines);
      return [[name, (table[name] ?? lines).map(hz => hz * ratio)]];
    }),
  );

/** By more than 2 % in the lowest mode, 0.5 % in density or 20 % in conductivity. */
function differs(fake, genuine) {
  const off = (one, other) => Math.abs(one / other - 1);
  return (
    off(middle(fake.modesHz['(2,0)']), middle(genuine.modesHz['(2,0)'])) > 0.02 ||
    off(fake.densityGcc, genuine.densityGcc) > 0.005 ||
    off(conductivityShown(fake, genuine), genuine.conductivityMSm) > 0.2
  );
}

/** What a meter of 60 kHz shows on a core under a skin. */
function conductivityShown({ conductivityMSm, skinMm }, genuine) {
  if (skinMm === null) return conductivityMSm;
  const depthMm = 1_000 / Math.sqrt(Math.PI * METER_HZ * 4e-7 * Math.PI * genuine.conductivityMSm * 1e6);
  const skin = 1 - Math.exp((-2 * skinMm) / depthMm);
  return conductivityMSm + (genuine.conductivityMSm - conductivityMSm) * skin;
}

/** Strikes a piece, records it, weighs it in air and in water, and holds a caliper and a meter to it. */
function hear({ product, modesHz, q, densityGcc, thicknessRatio, shownMSm }, random) {
  const all = 1 + random.gaussian(0, PIECE_SCATTER);
  const lines = Object.values(modesHz).flatMap(mode => {
    const by = all * (1 + random.gaussian(0, MODE_SCATTER));
    return mode.map(hz => hz * by);
  });
  const { expectedThickness } = productTest(product, { massG: product.massG, peaks: [] });
  const reading = (grams, accuracyG) => grams + random.uniform(-accuracyG, accuracyG);
  const massG = product.massG * (1 + random.gaussian(0, 0.0005));
  const inWaterG = massG * (1 - 0.998 / densityGcc);
  const wav = record(lines, q, random);
  return {
    ...(wav && analysed(wav)),
    isHeard: wav !== undefined,
    pocket: { massG: reading(massG, SCALE_G), submergedMassG: reading(inWaterG, SCALE_G) },
    fine: { massG: reading(massG, SCALE_G / 10), submergedMassG: reading(inWaterG, SCALE_G / 10) },
    diameterMm: product.diameterMm + random.uniform(-CALIPER_MM, CALIPER_MM),
    thicknessMm: expectedThickness.expectedMm * thicknessRatio + random.uniform(-CALIPER_MM, CALIPER_MM),
    shownMSm: shownMSm * (1 + random.gaussian(0, 0.02)),
  };
}

function analysed(wav) {
  const { peaks, snrDb, clippedFraction, strikes } = analyseRing(readWav(wav, RING_RECORDING_BOUNDS));
  return { peaks, quality: { snrDb, clippedFraction, strikes } };
}

/** Damped tones from one strike, as loud as it falls out, in even noise; undefined for a piece that rings above all that is recorded. */
function record(lines, q, random) {
  if (lines.every(line => line >= 0.46 * RATE_HZ)) return undefined;
  const samples = new Float64Array(Math.round(0.9 * RATE_HZ));
  const from = Math.round(0.12 * RATE_HZ);
  for (const hz of lines.filter(line => line < 0.46 * RATE_HZ)) {
    const amplitude = random.uniform(0.25, 1) / (1 + (hz / 9_000) ** 2);
    const [phase, decay] = [random.uniform(0, 2 * Math.PI), (Math.PI * hz) / q];
    for (let i = from; i < samples.length; i++) {
      const seconds = (i - from) / RATE_HZ;
      samples[i] += amplitude * Math.exp(-decay * seconds) * Math.cos(2 * Math.PI * hz * seconds + phase);
    }
  }
  let power = 0;
  for (let i = from; i < from + RATE_HZ / 10; i++) power += samples[i] ** 2 / (RATE_HZ / 10);
  const noise = Math.sqrt(power / 10 ** (SNR_DB / 10));
  const loud = samples.map(x => x + random.gaussian(0, noise));
  const highest = loud.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  return writeWav([loud.map(x => (0.6 * x) / highest)], RATE_HZ);
}

function judged(piece, readings) {
  // A recording of nothing is refused before a payment.
  if (!piece.isHeard) return 'REFUSED';
  const isFine = readings.includes('scaleAccuracyG');
  const weighed = isFine ? piece.fine : piece.pocket;
  const has = name => readings.includes(name);
  return judgeRing(
    productTest(piece.product, {
      ...{ peaks: piece.peaks, quality: piece.quality, massG: weighed.massG, diameterMm: piece.diameterMm },
      ...(has('thicknessMm') && { thicknessMm: piece.thicknessMm }),
      ...(has('submergedMassG') && { submergedMassG: weighed.submergedMassG }),
      ...(isFine && { scaleAccuracyG: SCALE_G / 10 }),
      ...(has('conductivityMSm') && { conductivityMSm: piece.shownMSm }),
    }),
  ).verdict;
}

const passed = scores =>
  scores
    .filter(({ piece, verdict }) => verdict === 'PASS' && !piece.isGenuine && piece.differs)
    .map(({ piece }) => piece.name);

function shares(scores, wanted) {
  const some = scores.filter(({ piece }) => wanted(piece));
  const percent = verdict =>
    (100 * some.filter(score => score.verdict === verdict).length) / Math.max(1, some.length);
  return {
    count: some.length,
    passPercent: percent('PASS'),
    failPercent: percent('FAIL'),
    inconclusivePercent: percent('INCONCLUSIVE'),
    refusedPercent: percent('REFUSED'),
  };
}

import { readWav } from '@svc/recording';
import { RING_RECORDING_BOUNDS } from '../ring/ring-bounds.js';
import { drawPiece, FAKE_KINDS, GENUINE_KINDS, PIECE_KINDS, type PieceKind } from './ring-piece.js';
import { generateRingRecording } from './ring-recording.js';
import { rocOf, scoreRingRecording, tally } from './ring-scores.js';
import { SeededRandom } from '@svc/kernels/testing';

const IS_LONG = process.env.SUITE_TIER === 'long';
const RECORDINGS = IS_LONG ? 400 : 12;
/** At commit a stretch of seeds that holds every kind of piece. */
const FIRST_SEED = IS_LONG ? 1 : 14;

describe('synthetic recordings of rings', () => {
  it('are the same for the same seed, and other for another', () => {
    const [one, again, other] = [7, 7, 8].map(seed => generateRingRecording(seed, { seconds: 0.3 }));
    expect(again.truth).toEqual(one.truth);
    // As bytes: Jest compares them one by one.
    expect(Buffer.compare(again.wav, one.wav)).toBe(0);
    expect(Buffer.compare(other.wav, one.wav)).not.toBe(0);
  });

  it('hold what their truth says', () => {
    for (const kind of PIECE_KINDS) {
      const { wav, truth } = generateRingRecording(1, {
        kind,
        snrDb: 30,
        overloadDb: -6,
        seconds: IS_LONG ? 0.8 : 0.3,
      });
      const recording = readWav(wav, RING_RECORDING_BOUNDS);
      expect(truth.piece).toMatchObject({ kind, isGenuine: kind.startsWith('genuine') });
      expect(recording.sampleRateHz).toBe(truth.sampleRateHz);
      expect(Math.max(...recording.samples.map(Math.abs))).toBeCloseTo(10 ** (-6 / 20), 2);
    }
  });

  it('make tungsten ring higher and lead lower than what they pass for, and keep most fakes at the right mass', () => {
    const random = new SeededRandom(3);
    const lowestHz = (kind: PieceKind) => drawPiece(kind, random).modes[0].linesHz[0];
    const highest = Math.max(...Array.from({ length: 12 }, () => lowestHz('genuine')));
    for (let i = 0; i < 10; i++) expect(lowestHz('tungsten-core')).toBeGreaterThan(highest);
    // Where it has the measures of what it passes for, lead rings at half its pitch.
    const lead = Array.from({ length: 24 }, () => lowestHz('lead'));
    expect(lead.filter(hz => hz < 3_000).length).toBeGreaterThan(4);
    // Three in ten keep the measures in place of the mass; of copper those for gold weigh less than 20 g: one in seven.
    const light = Array.from({ length: 300 }, () => drawPiece('copper', random)).filter(
      ({ massG }) => massG < 20,
    );
    expect(light.length / 300).toBeGreaterThan(0.07);
    expect(light.length / 300).toBeLessThan(0.25);
  });
});

describe('the ring test at 20 dB', () => {
  const scores = Array.from({ length: RECORDINGS }, (_, i) =>
    scoreRingRecording(FIRST_SEED + i, { snrDb: 20 }),
  );

  it('passes at most 1 % of the fakes', () => {
    const { count, pass } = tally(scores, FAKE_KINDS);
    expect(count).toBeGreaterThan(RECORDINGS / 3);
    expect(pass).toBeLessThanOrEqual(0.01);
  });

  it('fails at most 1 % of the genuine pieces', () => {
    const { count, fail } = tally(scores, GENUINE_KINDS);
    expect(count).toBeGreaterThan(RECORDINGS / 3);
    expect(fail).toBeLessThanOrEqual(0.01);
  });

  it('passes most genuine pieces and fails most fakes', () => {
    // A sample of 32 is off by 7 % as one standard deviation.
    const off = (2 * 0.4) / Math.sqrt(RECORDINGS);
    expect(tally(scores, ['genuine']).pass).toBeGreaterThan(0.9 - off);
    expect(tally(scores, FAKE_KINDS).fail).toBeGreaterThan(0.68 - off);
  });

  it('refuses nothing by a ring of less than 20 dB over the noise around it', () => {
    const wrong = Array.from({ length: RECORDINGS / 2 }, (_, i) =>
      scoreRingRecording(FIRST_SEED + i, { kind: 'wrong-size', snrDb: 4, ringAlone: true }),
    );
    const quiet = wrong.filter(({ judgement }) =>
      judgement?.reasons.some(({ code }) => code === 'RECORDING_NOISY'),
    );
    expect(quiet.length).toBeGreaterThan(0);
    for (const { verdict } of quiet) expect(verdict).toBe('INCONCLUSIVE');
  });

  it('accepts more genuine pieces, and more fakes, the more it allows', () => {
    const roc = rocOf(scores, [0.5, 1, 2, 4, 8]);
    for (let i = 1; i < roc.length; i++) {
      expect(roc[i].truePass).toBeGreaterThanOrEqual(roc[i - 1].truePass);
      expect(roc[i].falsePass).toBeGreaterThanOrEqual(roc[i - 1].falsePass);
    }
    expect(roc[2].truePass - roc[2].falsePass).toBeGreaterThan(0.8);
  });
});

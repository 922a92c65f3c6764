import { writeWav } from '@svc/recording';
import { DISC_MODES } from '../plate/free-disc.js';
import { drawPiece, FAKE_KINDS, type PieceKind, type PieceMode, type RingPiece } from './ring-piece.js';
import { drawPhoneResponse, drawRoom, soundInRoom } from './ring-room.js';
import { SeededRandom } from '@svc/kernels/testing';
import { addNoise, powerAfterStrike, type RingingMode, synthesizeRing } from './synthesize-ring.js';

/** How a recording is made; what is left out is drawn. */
export interface RingRecordingOptions {
  readonly kind?: PieceKind;
  /** Power of the ring in the tenth of a second after the strike over that of the noise, all frequencies. */
  readonly snrDb?: number;
  readonly sampleRateHz?: number;
  /** How far its highest sample lies over full scale, dB: negative for a recording that is not clipped. */
  readonly overloadDb?: number;
  readonly seconds?: number;
}

/** What is in a recording in truth. */
export interface RingTruth {
  readonly seed: number;
  readonly piece: RingPiece;
  readonly snrDb: number;
  readonly sampleRateHz: number;
  readonly overloadDb: number;
  readonly strikeSeconds: number;
  /** Of the strike from the middle, parts of the radius. */
  readonly strikeRadius: number;
  readonly reverberationSeconds: number;
  /** What the scale shows, grams. */
  readonly weighedG: number;
}

export interface RingRecording {
  /** A WAVE file. */
  readonly wav: Uint8Array;
  readonly truth: RingTruth;
}

const SAMPLE_RATES_HZ = [48_000, 48_000, 44_100, 44_100, 96_000, 32_000];
const SCALE_STEP_G = 0.01;
const CLIPPED_CHANCE = 0.05;

/**
 * Makes the recording of a piece that is struck, the same for the same seed: modes as strong as the place of the strike makes
 * them, a room, a phone, noise that rises towards low frequencies, 16 bits. Half of the seeds are of genuine pieces, one in
 * five of these held out.
 */
export function generateRingRecording(seed: number, options: RingRecordingOptions = {}): RingRecording {
  const random = new SeededRandom(seed);
  const kind = options.kind ?? drawKind(random);
  const piece = drawPiece(kind, random);
  const sampleRateHz = options.sampleRateHz ?? random.pick(SAMPLE_RATES_HZ);
  const seconds = options.seconds ?? random.uniform(0.7, 1.5);
  const strikeSeconds = random.uniform(0.05, 0.25);
  const strikeRadius = random.uniform(0.6, 1);
  const snrDb = options.snrDb ?? random.uniform(5, 40);
  const modes = struckModes(piece.modes, strikeRadius, sampleRateHz, random);
  const ring = { seconds, strikeSeconds, sampleRateHz, clickAmplitude: random.uniform(0, 0.3) };
  const room = drawRoom(random);
  const samples = soundInRoom(synthesizeRing(modes, ring, random), room, sampleRateHz, random);
  const noisePower = powerAfterStrike(samples, strikeSeconds, sampleRateHz) / 10 ** (snrDb / 10);
  addNoise(samples, noisePower, random, { hz: random.uniform(200, 800), sampleRateHz });
  const overloadDb =
    options.overloadDb ?? (random.chance(CLIPPED_CHANCE) ? random.uniform(0, 4) : random.uniform(-24, -1));
  const highest = samples.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  const gain = 10 ** (overloadDb / 20) / highest;
  const wav = writeWav([samples.map(x => Math.max(-1, Math.min(1, x * gain)))], sampleRateHz);
  const weighedG = SCALE_STEP_G * Math.round((piece.massG + random.gaussian(0, SCALE_STEP_G)) / SCALE_STEP_G);
  return {
    wav,
    truth: {
      ...{ seed, piece, snrDb, sampleRateHz, overloadDb, strikeSeconds, strikeRadius, weighedG },
      reverberationSeconds: room.reverberationSeconds,
    },
  };
}

function drawKind(random: SeededRandom): PieceKind {
  if (random.chance(0.5)) return random.chance(0.2) ? 'genuine-held-out' : 'genuine';
  return random.pick(FAKE_KINDS);
}

/**
 * Amplitudes by where the piece is struck: a mode is as strong as it moves there, and of a pair the lines are as strong as
 * cosine and sine of the angle; then what holds the piece, and what the phone hears.
 */
function struckModes(
  modes: readonly PieceMode[],
  strikeRadius: number,
  sampleRateHz: number,
  random: SeededRandom,
): RingingMode[] {
  const angle = random.uniform(0, 2 * Math.PI);
  const phone = drawPhoneResponse(random);
  return modes.flatMap(({ mode, linesHz, q }) => {
    const { diameters, circles } = DISC_MODES[mode];
    const moves = circles === 0 ? strikeRadius ** diameters : Math.abs(1 - (strikeRadius / NODE_RADIUS) ** 2);
    const held = random.logUniform(0.35, 1);
    return linesHz
      .map((frequencyHz, line) => {
        const turn = diameters * angle;
        const share = linesHz.length === 1 ? 1 : Math.abs(line === 0 ? Math.cos(turn) : Math.sin(turn));
        return {
          frequencyHz,
          // A short contact excites high modes less.
          amplitude: moves * held * share * phone(frequencyHz) * Math.exp(-frequencyHz / CONTACT_HZ),
          decaySeconds: q / (Math.PI * frequencyHz),
          phase: random.uniform(0, 2 * Math.PI),
        };
      })
      .filter(({ frequencyHz }) => frequencyHz < 0.48 * sampleRateHz);
  });
}

/** The circle that does not move in a mode with one of them, parts of the radius. */
const NODE_RADIUS = 0.68;
const CONTACT_HZ = 15_000;

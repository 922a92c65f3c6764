import type { RingPeak } from '../ring-peak.js';
import type { RingLine } from './ring-lines.js';

/** The lines of a coin that is not quite round lie at most so far apart: the widest published pair is 386 Hz of 4,772. */
const SPLIT_HZ_MAX = 400;
const SPLIT_SHARE_MAX = 0.09;
/** A strike on the node of one of them leaves it weak; a line weaker than this is not counted to the mode. */
const LEVEL_DIFFERENCE_DB_MAX = 12;

/**
 * Peaks of the lines: two near ones of comparable strength are one mode, which a piece that is not quite round splits
 * (Rayleigh, Theory of Sound, § 221). Strongest pairs first; each line is used once.
 *
 * @returns by frequency, their levels over that of the strongest
 */
export function pairDoublets(lines: readonly RingLine[]): RingPeak[] {
  const byEnergy = [...lines].sort((a, b) => b.energy - a.energy);
  const strongest = byEnergy[0]?.energy ?? 1;
  const peaks: RingPeak[] = [];
  while (byEnergy.length > 0) {
    const line = byEnergy.shift()!;
    const index = byEnergy.findIndex(other => isPartner(line, other));
    const pair = index < 0 ? [line] : [line, ...byEnergy.splice(index, 1)];
    peaks.push(peakOf(pair, strongest));
  }
  return peaks.sort((a, b) => a.frequencyHz - b.frequencyHz);
}

function isPartner(line: RingLine, other: RingLine): boolean {
  const apartHz = Math.abs(line.frequencyHz - other.frequencyHz);
  return (
    apartHz <= SPLIT_HZ_MAX &&
    apartHz <= SPLIT_SHARE_MAX * Math.min(line.frequencyHz, other.frequencyHz) &&
    decibel(line.energy / other.energy) <= LEVEL_DIFFERENCE_DB_MAX
  );
}

function peakOf(pair: readonly RingLine[], strongest: number): RingPeak {
  const [line, partner] = pair;
  const decays = pair.flatMap(({ decaySeconds }) => decaySeconds ?? []);
  const frequencyHz = pair.reduce((sum, each) => sum + each.frequencyHz, 0) / pair.length;
  return {
    frequencyHz,
    uncertaintyHz: Math.hypot(...pair.map(each => each.uncertaintyHz)) / pair.length,
    levelDb: Math.min(0, decibel(line.energy / strongest)),
    snrDb: decibel(line.snr),
    // Of the line that rings longer: what is left of the other is its partner's.
    q: decays.length === 0 ? null : Math.PI * frequencyHz * Math.max(...decays),
    splitHz: partner ? Math.abs(line.frequencyHz - partner.frequencyHz) : null,
  };
}

function decibel(ratio: number): number {
  return 10 * Math.log10(Math.max(ratio, 1e-30));
}

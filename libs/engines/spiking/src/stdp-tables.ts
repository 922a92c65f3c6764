import type { Plasticity } from './simulation.js';
import { WEIGHT_UNITS } from './model-constants.js';

/** Entries that a table of weight changes has at most. */
export const STDP_TABLE_MAX = 4_096;

/**
 * Decay by distance in steps, in the fixed point of weight changes: 1/256 of a weight's unit.
 * The entry for distance `d` is `values[d >> shift]`; past the end it is 0.
 */
export interface StdpTable {
  readonly values: Int32Array;
  readonly shift: number;
}

/** Both sides of the window of a pair, and the decay of the traces of `stdp-all`. */
export interface StdpTables {
  /** Change by a postsynaptic spike after an arrival. */
  readonly plus: StdpTable;
  /** Change, to be taken away, by an arrival after a postsynaptic spike. */
  readonly minus: StdpTable;
  /** Decay of the presynaptic trace by steps since the spike before; past the end 0. */
  readonly decayPlus: Float32Array;
  /** Decay of the postsynaptic trace. */
  readonly decayMinus: Float32Array;
}

/**
 * A trace is less than 2^10 (spikes lie at least 5 ms apart, time constants end at 1 s), and 1 is added
 * to what decayed: below 2^−36 the decay adds nothing to an f32 any more.
 */
const DECAY_FLOOR = 2 ** -36;

function stdpTable(amplitude: number, tauSteps: number): StdpTable {
  const scale = amplitude * WEIGHT_UNITS * 256;
  const value = (distance: number): number => Math.round(scale * Math.exp(-distance / tauSteps));
  // The first distance whose value rounds to 0, found by the logarithm and then exactly.
  let end = scale < 0.5 ? 0 : Math.max(0, Math.floor(tauSteps * Math.log(2 * scale)) - 2);
  while (value(end) > 0) end++;
  let shift = 0;
  while (end >> shift >= STDP_TABLE_MAX) shift++;
  const centre = shift > 0 ? 1 << (shift - 1) : 0;
  const length = Math.ceil(end / 2 ** shift);
  return { values: Int32Array.from({ length }, (_, k) => value((k << shift) + centre)), shift };
}

function traceDecay(tauSteps: number): Float32Array {
  const length = Math.ceil(-tauSteps * Math.log(DECAY_FLOOR));
  return Float32Array.from({ length }, (_, d) => Math.exp(-d / tauSteps));
}

/** @param dtMs step, ms */
export function stdpTables(plasticity: Plasticity, dtMs: number): StdpTables {
  const plusSteps = plasticity.tauPlusMs / dtMs;
  const minusSteps = plasticity.tauMinusMs / dtMs;
  const all = plasticity.rule === 'stdp-all';
  return {
    plus: stdpTable(plasticity.aPlus, plusSteps),
    minus: stdpTable(plasticity.aMinus, minusSteps),
    decayPlus: all ? traceDecay(plusSteps) : new Float32Array(0),
    decayMinus: all ? traceDecay(minusSteps) : new Float32Array(0),
  };
}

/** Entry of a table for a distance in steps. */
export function stdpValue(table: StdpTable, distance: number): number {
  const index = distance >> table.shift;
  return index < table.values.length ? table.values[index] : 0;
}

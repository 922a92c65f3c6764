import {
  decayMinusAt,
  decayMinusEntries,
  decayPlusAt,
  decayPlusEntries,
  delaySteps,
  depressionEntries,
  depressionShift,
  historyAt,
  NEVER,
  potentiationEntries,
  potentiationShift,
  recentAt,
  ringPreviousAt,
  ringTracesAt,
  rule,
  sectorBase,
  sectorNeurons,
  tracesAt,
} from './run';

// When neurons spiked; a time is the end of its step. The newest sixteen times of a neuron are one line of the cache, which
// few visits of a synapse need: most need the newest four at most, and those lie apart in 16 bits each, so that a sector's
// stay in the cache of the core. Sixteen bits tell an age below RECENT_AGES. An older time is kept at an age from there to
// half as much more: in time it would seem to be new again.

/** Ages that 16 bits tell. */
export const RECENT_AGES: u32 = 32768;
/** So often times that are too old are moved along. */
const SWEEP_STEPS: u32 = 16384;

/** Whether the tables are such that recent times do: an entry for each distance, and none for ages that are not told. */
export function areRecentTimesEnough(): bool {
  if (depressionShift || potentiationShift || !potentiationEntries) return false;
  return depressionEntries < RECENT_AGES && potentiationEntries < RECENT_AGES;
}

/** Nothing has spiked yet. */
export function forgetSpikes(neuron: u32): void {
  const never = i32x4.splat(NEVER);
  const history = historyAt + ((<usize>neuron) << 6);
  v128.store(history, never);
  v128.store(history, never, 16);
  v128.store(history, never, 32);
  v128.store(history, never, 48);
  store<u64>(recentAt + ((<usize>neuron) << 3), 0x8000800080008000);
}

/** What was read ahead goes somewhere, or the reads would be left out. */
export let touched: u32 = 0;

/**
 * Before a sector is carried through a block: its recent times come into the cache as a stream, where one by one each would
 * be waited for; and those that are too old are moved along when it is time.
 */
export function prepareRecent(sector: u32, step: u32, blockSteps: u32): void {
  let at = recentAt + ((<usize>sectorBase(sector)) << 3);
  const end = at + ((<usize>sectorNeurons(sector)) << 3);
  if (step % SWEEP_STEPS < blockSteps) {
    const now = i16x8.splat(<i16>step);
    const oldest = i16x8.splat(<i16>(step - RECENT_AGES));
    const none = i16x8.splat(0);
    for (; at < end; at += 8) {
      const times = v128.load64_zero(at);
      const isOld = i16x8.lt_s(i16x8.sub(now, times), none);
      v128.store64_lane(at, v128.bitselect(oldest, times, isOld), 0);
    }
    return;
  }
  let sum: u32 = 0;
  for (; at < end; at += 64) sum += load<u32>(at);
  touched = sum;
}

/** Begins the reads of what {@link rememberSpike} changes. */
// @ts-ignore: decorator
@inline
export function touchSpike(neuron: usize): u32 {
  return load<u32>(historyAt + (neuron << 6)) + load<u32>(recentAt + (neuron << 3));
}

/** A neuron spikes: what its synapses need of the spike before goes to its place in the ring. */
export function rememberSpike(neuron: usize, place: usize, now: u32): void {
  const history = historyAt + (neuron << 6);
  const h0 = v128.load(history);
  const h1 = v128.load(history, 16);
  const h2 = v128.load(history, 32);
  const h3 = v128.load(history, 48);
  const previous = i32x4.extract_lane(h0, 0);
  const arrival = previous == NEVER ? NEVER : previous - 1 + <i32>delaySteps;
  store<i32>(ringPreviousAt + (place << 2), arrival);
  if (rule == 2) updateTraces(neuron, place, previous, now);
  v128.store(history, v128.shuffle<i32>(i32x4.splat(<i32>now + 1), h0, 3, 4, 5, 6));
  v128.store(history, v128.shuffle<i32>(h0, h1, 3, 4, 5, 6), 16);
  v128.store(history, v128.shuffle<i32>(h1, h2, 3, 4, 5, 6), 32);
  v128.store(history, v128.shuffle<i32>(h2, h3, 3, 4, 5, 6), 48);
  const recent = recentAt + (neuron << 3);
  store<u64>(recent, (load<u64>(recent) << 16) | (<u64>((now + 1) & 0xffff)));
}

/** Presynaptic trace (as of the spike before this one, for the synapses) and postsynaptic trace (as of this spike). */
function updateTraces(neuron: usize, place: usize, previous: i32, now: u32): void {
  const traces = tracesAt + (neuron << 3);
  const x = load<f32>(traces);
  const y = load<f32>(traces, 4);
  store<f32>(ringTracesAt + (place << 2), x);
  const interval = <u32>(<i32>now + 1 - previous);
  const decayX: f32 = interval < decayPlusEntries ? load<f32>(decayPlusAt + ((<usize>interval) << 2)) : 0;
  const decayY: f32 = interval < decayMinusEntries ? load<f32>(decayMinusAt + ((<usize>interval) << 2)) : 0;
  store<f32>(traces, x * decayX + 1);
  store<f32>(traces, y * decayY + 1, 4);
}

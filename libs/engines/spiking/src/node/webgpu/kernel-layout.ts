import { HISTORY_SPIKES } from '../../plastic-synapses.js';
import type { Plasticity } from '../../simulation.js';

/** Which of the kernels' variants a run takes. */
export interface ShaderVariant {
  readonly rule?: Plasticity['rule'];
  readonly stored: boolean;
  readonly sectorCount: number;
  /** Lanes that share the synapses of one spike. */
  readonly deliveryLanes: number;
}

/** Lanes of a group of the kernels that go over all neurons. */
export const UPDATE_LANES = 256;

/** Words that a neuron with plastic synapses remembers: spikes so far, two traces, the newest spikes. */
export const MEMORY_WORDS = 3 + HISTORY_SPIKES;

/** Words before the first entry of the log: spikes so far, and visits that found too short a history. */
export const LOG_HEADER = 2;

/** Words of a spike in the ring. */
export const spikeWords = (rule: ShaderVariant['rule']): number =>
  rule === 'stdp-all' ? 3 : rule === 'stdp-nn' ? 2 : 1;

/** What a kernel reads and writes, and where it is bound; a number means the same in every kernel. */
export const BINDINGS = {
  network: 0,
  step: 1,
  sectors: 2,
  potentials: 3,
  currents: 4,
  log: 5,
  ring: 6,
  counts: 7,
  raster: 8,
  memory: 9,
  weights: 10,
  tables: 11,
  targets: 12,
} as const;

/** Name of a binding. */
export type BindingName = keyof typeof BINDINGS;

/** What each kernel is bound to. */
export function bindingsOf(kernel: 'update' | 'deliver' | 'wire', variant: ShaderVariant): BindingName[] {
  if (kernel === 'wire') return ['network', 'sectors', 'targets'];
  const plastic: BindingName[] = variant.rule ? ['memory', 'tables'] : [];
  if (kernel === 'update') {
    return ['network', 'step', 'potentials', 'currents', 'log', 'ring', 'counts', 'raster', ...plastic];
  }
  const wiring: BindingName = variant.stored ? 'targets' : 'sectors';
  const weights: BindingName[] = variant.rule ? ['weights'] : [];
  return ['network', 'step', wiring, 'currents', 'log', 'ring', ...plastic, ...weights];
}

/** Fields of the uniform `network`, four bytes each, in order. */
export const NETWORK_FIELDS = [
  ['neuron_count', 'u32'],
  ['excitatory_count', 'u32'],
  ['out_degree', 'u32'],
  ['row_words', 'u32'],
  ['per_sector', 'u32'],
  ['extra_sectors', 'u32'],
  ['first_extra_key0', 'u32'],
  ['first_extra_key1', 'u32'],
  ['rounding_key1', 'u32'],
  ['delay_steps', 'u32'],
  ['refractory_steps', 'f32'],
  ['ring_mask', 'u32'],
  ['delivery_groups', 'u32'],
  ['warmup_steps', 'u32'],
  ['raster_begin', 'u32'],
  ['raster_capacity', 'u32'],
  ['a', 'f32'],
  ['rescale_e', 'f32'],
  ['rescale_i', 'f32'],
  ['plus_length', 'u32'],
  ['plus_shift', 'u32'],
  ['minus_begin', 'u32'],
  ['minus_length', 'u32'],
  ['minus_shift', 'u32'],
  ['decay_plus_begin', 'u32'],
  ['decay_plus_length', 'u32'],
  ['decay_minus_begin', 'u32'],
  ['decay_minus_length', 'u32'],
  ['threshold', 'f32'],
  ['reset', 'f32'],
] as const;

/** Fields of the uniform `step`, four bytes each, in order. */
export const STEP_FIELDS = [
  ['index', 'u32'],
  ['ends_block', 'u32'],
  ['rounding_key0', 'u32'],
  ['excitatory_weight', 'i32'],
  ['inhibitory_weight', 'i32'],
  ['excitatory_gain', 'f32'],
  ['inhibitory_gain', 'f32'],
  ['weight_unit', 'f32'],
] as const;

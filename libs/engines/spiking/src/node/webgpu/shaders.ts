import { HISTORY_SPIKES } from '../../plastic-synapses.js';
import {
  BINDINGS,
  LOG_HEADER,
  MEMORY_WORDS,
  NETWORK_FIELDS,
  type ShaderVariant,
  spikeWords,
  STEP_FIELDS,
  UPDATE_LANES,
} from './kernel-layout.js';

const structOf = (name: string, fields: readonly (readonly [string, string])[]): string =>
  `struct ${name} {\n${fields.map(([field, type]) => `  ${field}: ${type},`).join('\n')}\n}`;

const HEADER = (sectorCount: number): string => `
${structOf('Network', NETWORK_FIELDS)}
${structOf('Step', STEP_FIELDS)}
@group(0) @binding(${BINDINGS.network}) var<uniform> network: Network;
@group(0) @binding(${BINDINGS.step}) var<uniform> step: Step;
// Of each sector: two keys, its first neuron, its neurons.
@group(0) @binding(${BINDINGS.sectors}) var<uniform> sectors: array<vec4u, ${sectorCount}>;
@group(0) @binding(${BINDINGS.log}) var<storage, read_write> log_words: array<atomic<u32>>;
@group(0) @binding(${BINDINGS.ring}) var<storage, read_write> ring: array<u32>;
@group(0) @binding(${BINDINGS.memory}) var<storage, read_write> memory: array<u32>;
// Weight changes by distance, then the decay of traces as the bits of f32.
@group(0) @binding(${BINDINGS.tables}) var<storage, read> tables: array<i32>;
`;

/**
 * A neuron that rests after a spike has a potential below this: as many below as steps are left. No
 * current brings a membrane near it, and f32 holds whole numbers of its size exactly.
 */
export const RESTING_BELOW_MV = -(2 ** 22);

const RECORD = `
fn record(neuron: u32) {
  if (step.index < network.warmup_steps) { return; }
  counts[neuron] += 1u;
  if ((atomicLoad(&raster[1u + neuron / 32u]) & (1u << (neuron % 32u))) == 0u) { return; }
  let place = atomicAdd(&raster[0], 1u);
  if (place >= network.raster_capacity) { return; }
  atomicStore(&raster[network.raster_begin + 2u * place], neuron);
  atomicStore(&raster[network.raster_begin + 2u * place + 1u], step.index - network.warmup_steps);
}
`;

/** Both traces of `stdp-all` at a spike: what is left of them, and one more. The ring takes the trace before. */
const TRACES = `
fn decayed(trace: f32, interval: u32, begin: u32, length: u32) -> f32 {
  if (interval >= length) { return 0.0; }
  return trace * bitcast<f32>(tables[begin + interval]);
}

fn trace_spike(own: u32, ring_place: u32, fired: u32, interval: u32) {
  let plus = bitcast<f32>(memory[own + 1u]);
  let minus = bitcast<f32>(memory[own + 2u]);
  ring[ring_place + 2u] = bitcast<u32>(plus);
  let plus_left = decayed(plus, interval, network.decay_plus_begin, network.decay_plus_length);
  let minus_left = decayed(minus, interval, network.decay_minus_begin, network.decay_minus_length);
  memory[own + 1u] = bitcast<u32>(select(0.0, plus_left, fired > 0u) + 1.0);
  memory[own + 2u] = bitcast<u32>(select(0.0, minus_left, fired > 0u) + 1.0);
}
`;

/** What a neuron with plastic synapses remembers of its spike, and what the spike carries. */
const remember = (all: boolean): string => `
${all ? TRACES : ''}
fn remember(neuron: u32, ring_place: u32) {
  let own = neuron * ${MEMORY_WORDS}u;
  let fired = memory[own];
  // The end of the step; 0 is no time of a spike.
  let time = step.index + 1u;
  var before = 0u;
  if (fired > 0u) { before = memory[own + 3u + (fired - 1u) % ${HISTORY_SPIKES}u]; }
  ring[ring_place + 1u] = before;
  ${all ? 'trace_spike(own, ring_place, fired, time - before);' : ''}
  memory[own + 3u + fired % ${HISTORY_SPIKES}u] = time;
  memory[own] = fired + 1u;
}
`;

/**
 * One step of every neuron: the exact integral, then threshold, spike, rest. A neuron that spikes goes to
 * the ring of spikes under way; that is the only place where invocations meet.
 */
export function updateShader({ rule, sectorCount }: ShaderVariant): string {
  return `${HEADER(sectorCount)}
@group(0) @binding(${BINDINGS.potentials}) var<storage, read_write> potentials: array<f32>;
@group(0) @binding(${BINDINGS.currents}) var<storage, read_write> currents: array<vec2i>;
@group(0) @binding(${BINDINGS.counts}) var<storage, read_write> counts: array<u32>;
@group(0) @binding(${BINDINGS.raster}) var<storage, read_write> raster: array<atomic<u32>>;
${RECORD}
${rule ? remember(rule === 'stdp-all') : ''}
fn spike(neuron: u32) {
  let place = (atomicAdd(&log_words[0], 1u) & network.ring_mask) * ${spikeWords(rule)}u;
  ring[place] = neuron;
  ${rule ? 'remember(neuron, place);' : ''}
  record(neuron);
}

@compute @workgroup_size(${UPDATE_LANES})
fn update(@builtin(global_invocation_id) id: vec3u) {
  let neuron = id.x;
  if (neuron >= network.neuron_count) { return; }
  let received = vec2f(currents[neuron]);
  var v = potentials[neuron];
  if (v < ${RESTING_BELOW_MV}.0) {
    v += 1.0;
    if (v >= ${RESTING_BELOW_MV}.0) { v = network.reset; }
  } else {
    v = v * network.a + (received.x * step.excitatory_gain + received.y * step.inhibitory_gain);
    if (v > network.threshold) {
      v = ${RESTING_BELOW_MV}.0 - network.refractory_steps;
      spike(neuron);
    }
  }
  potentials[neuron] = v;
  if (step.ends_block != 0u) {
    currents[neuron] = vec2i(round(received * vec2f(network.rescale_e, network.rescale_i)));
  }
}
`;
}

/** The same as `counterHash`. */
const COUNTER_HASH = `
fn counter_hash(place: u32, key0: u32, key1: u32) -> u32 {
  var x = place + key0;
  x ^= x >> 16u;
  x *= 0x21f0aaadu;
  x ^= x >> 15u;
  x += key1;
  x *= 0x735a2d97u;
  return x ^ (x >> 15u);
}
`;

/** The wiring as a function, the same as `targetOf` and `firstExtraSector`. */
const WIRING = `
// floor(a · b / 2^32) by halves: WGSL has no wider numbers.
fn multiply_high(a: u32, b: u32) -> u32 {
  let a0 = a & 0xffffu;
  let a1 = a >> 16u;
  let b0 = b & 0xffffu;
  let b1 = b >> 16u;
  let low = a1 * b0 + ((a0 * b0) >> 16u);
  let high = a0 * b1 + (low & 0xffffu);
  return a1 * b1 + (low >> 16u) + (high >> 16u);
}

// The sector of a synapse by its place in its source's row, and its number within the sector. The
// sectors with one synapse more lie together in a circle, so a row is three runs of equal shares.
fn locate(first_extra: u32, place: u32, sector_count: u32) -> vec2u {
  let end = first_extra + network.extra_sectors;
  let wraps = end > sector_count;
  let second = select(first_extra, end - sector_count, wraps);
  let third = select(end, first_extra, wraps);
  let outer = network.per_sector + select(0u, 1u, wraps);
  let inner = network.per_sector + select(1u, 0u, wraps);
  let before_second = second * outer;
  let before_third = before_second + (third - second) * inner;
  if (place < before_second) { return vec2u(place / outer, place % outer); }
  if (place < before_third) {
    let rest = place - before_second;
    return vec2u(second + rest / inner, rest % inner);
  }
  let rest = place - before_third;
  return vec2u(third + rest / outer, rest % outer);
}

fn first_extra_sector(source: u32, sector_count: u32) -> u32 {
  if (network.extra_sectors == 0u) { return 0u; }
  return multiply_high(counter_hash(source, network.first_extra_key0, network.first_extra_key1), sector_count);
}

fn drawn_target(source: u32, first_extra: u32, place: u32, sector_count: u32) -> u32 {
  let found = locate(first_extra, place, sector_count);
  let sector = sectors[found.x];
  let random = counter_hash(source * (network.per_sector + 1u) + found.y, sector.x, sector.y);
  return sector.z + multiply_high(random, sector.w);
}
`;

/** Writes the table of targets that a stored network has, once. */
export function wireShader(variant: ShaderVariant): string {
  return `${HEADER(variant.sectorCount)}${COUNTER_HASH}${WIRING}
@group(0) @binding(${BINDINGS.targets}) var<storage, read_write> targets: array<u32>;

@compute @workgroup_size(${UPDATE_LANES})
fn wire(@builtin(global_invocation_id) id: vec3u) {
  let source = id.x;
  if (source >= network.neuron_count) { return; }
  let first_extra = first_extra_sector(source, ${variant.sectorCount}u);
  for (var place = 0u; place < network.out_degree; place++) {
    targets[source * network.out_degree + place] = drawn_target(source, first_extra, place, ${variant.sectorCount}u);
  }
}
`;
}

const plasticityOf = (rule: NonNullable<ShaderVariant['rule']>): string => `
fn lookup(begin: u32, length: u32, shift: u32, distance: u32) -> i32 {
  let index = distance >> shift;
  if (index >= length) { return 0; }
  return tables[begin + index];
}

fn scaled(change: i32, trace: f32) -> i32 {
  return i32(min(f32(change) * trace, 536870912.0));
}

// What an arrival changes at a synapse, in 1/256 of a weight's unit: potentiation by the target's spikes
// since the arrival before, depression by its newest one.
fn change(target_neuron: u32, before: u32, trace: f32) -> i32 {
  let own = target_neuron * ${MEMORY_WORDS}u;
  let fired = memory[own];
  if (fired == 0u) { return 0; }
  let newest = memory[own + 3u + (fired - 1u) % ${HISTORY_SPIKES}u];
  let minus = lookup(network.minus_begin, network.minus_length, network.minus_shift, step.index - newest);
  var plus = 0;
  if (before > 0u) {
    // The spike before arrived at its step and the delay: at its time less one, and the delay.
    let arrival = before - 1u + network.delay_steps;
    let kept = min(fired, ${HISTORY_SPIKES}u);
    var k = 1u;
    for (; k <= kept; k++) {
      let time = memory[own + 3u + (fired - k) % ${HISTORY_SPIKES}u];
      if (time <= arrival) { break; }
      plus += lookup(0u, network.plus_length, network.plus_shift, time - arrival);
    }
    if (k > ${HISTORY_SPIKES}u) { atomicAdd(&log_words[1], 1u); }
  }
${
  rule === 'stdp-all'
    ? '  return scaled(plus, trace) - scaled(minus, bitcast<f32>(memory[own + 2u]));'
    : '  return plus - minus;'
}
}

fn deliver_plastic(source: u32, before: u32, trace: f32, first_extra: u32, lane: u32) {
  for (var word = lane; word < network.row_words; word += LANES) {
    // Both weights of a word belong to this invocation alone: a row has one spike in a step.
    var pair = weights[source * network.row_words + word];
    for (var half = 0u; half < 2u; half++) {
      let place = 2u * word + half;
      if (place >= network.out_degree) { break; }
      let to = target_of(source, first_extra, place);
      let old = i32(extractBits(pair, 16u * half, 16u));
      let random = counter_hash(source * network.out_degree + place, step.rounding_key0, network.rounding_key1);
      let changed = (old << 8u) + change(to, before, trace) + i32(random >> 24u);
      let weight = clamp(changed >> 8u, 0, 65535);
      pair = insertBits(pair, u32(weight), 16u * half, 16u);
      atomicAdd(&currents[2u * to], i32(round(f32(weight) * step.weight_unit)));
    }
    weights[source * network.row_words + word] = pair;
  }
}
`;

/**
 * Hands the spikes of one delay ago to their targets: a group takes a spike, its lanes the synapses. The
 * number of groups is fixed and they go round the spikes: an indirect dispatch would have Dawn check its
 * arguments in a pass of its own before each.
 */
export function deliverShader(variant: ShaderVariant): string {
  const { rule, stored, deliveryLanes, sectorCount } = variant;
  const words = spikeWords(rule);
  const target = stored
    ? 'targets[source * network.out_degree + place]'
    : `drawn_target(source, first_extra, place, ${sectorCount}u)`;
  const plastic = `
    if (source < network.excitatory_count) {
      let before = ring[at + 1u];
      let trace = ${rule === 'stdp-all' ? 'bitcast<f32>(ring[at + 2u])' : '1.0'};
      deliver_plastic(source, before, trace, first_extra, lane);
      continue;
    }`;
  return `${HEADER(sectorCount)}${COUNTER_HASH}${stored ? '' : WIRING}
const LANES = ${deliveryLanes}u;
@group(0) @binding(${BINDINGS.currents}) var<storage, read_write> currents: array<atomic<i32>>;
${rule ? `@group(0) @binding(${BINDINGS.weights}) var<storage, read_write> weights: array<u32>;` : ''}
${stored ? `@group(0) @binding(${BINDINGS.targets}) var<storage, read_write> targets: array<u32>;` : ''}
fn target_of(source: u32, first_extra: u32, place: u32) -> u32 {
  return ${target};
}
${rule ? plasticityOf(rule) : ''}
@compute @workgroup_size(${deliveryLanes})
fn deliver(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let total = atomicLoad(&log_words[0]);
  // Where this step's spikes begin; nobody reads it before the next dispatch.
  if (group.x == 0u && lane == 0u) { atomicStore(&log_words[${LOG_HEADER}u + step.index], total); }
  if (step.index < network.delay_steps || network.out_degree == 0u) { return; }
  let spiked = step.index - network.delay_steps;
  let first = atomicLoad(&log_words[${LOG_HEADER}u + spiked]);
  var end = total;
  if (network.delay_steps > 1u) { end = atomicLoad(&log_words[${LOG_HEADER}u + spiked + 1u]); }
  for (var k = group.x; k < end - first; k += network.delivery_groups) {
    let at = ((first + k) & network.ring_mask) * ${words}u;
    let source = ring[at];
    let first_extra = ${stored ? '0u' : `first_extra_sector(source, ${sectorCount}u)`};
${rule ? plastic : ''}
    var side = 0u;
    var weight = step.excitatory_weight;
    if (source >= network.excitatory_count) {
      side = 1u;
      weight = step.inhibitory_weight;
    }
    for (var place = lane; place < network.out_degree; place += LANES) {
      atomicAdd(&currents[2u * target_of(source, first_extra, place) + side], weight);
    }
  }
}
`;
}

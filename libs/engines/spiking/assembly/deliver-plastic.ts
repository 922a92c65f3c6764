import { arrivedBeforeAt, arrivedTracesAt, arrivingIdsAt, stagedRow, weightRow } from './arrivals';
import { synapsesBefore, synapsesIn } from './connectivity';
import { targetRow } from './deliver-static';
import { hash4, mulhi4 } from './hash';
import { areRecentTimesEnough, RECENT_AGES } from './history';
import {
  depressionAt,
  depressionEntries,
  depressionShift,
  isStored,
  NEVER,
  extras,
  historyAt,
  outDegree,
  potentiationAt,
  potentiationEntries,
  potentiationShift,
  quotient,
  recentAt,
  roundingKey0,
  roundingKey1,
  rule,
  sectorBase,
  sectorNeurons,
  stateOffset,
  tallyAt,
  targetKeysAt,
  tracesAt,
} from './run';
import { excitatoryIdsAt, previousAt, synapseScratchAt, tracesOfSourcesAt } from './sources';

/** Synapses that are visited together. */
const BATCH: u32 = 512;
/** A vector may write past the last one. */
const ROOM: usize = ((<usize>BATCH + 16) << 2);
const ALL_PAIRS: u32 = 2;

// The scratch of a batch: counters, which become targets; positions, which become roundings; pieces of rows.
// @ts-ignore: decorator
@inline
function targetsOfBatch(): usize {
  return synapseScratchAt();
}
// @ts-ignore: decorator
@inline
function roundingsOfBatch(): usize {
  return synapseScratchAt() + ROOM;
}
/** Sixteen bytes each: address of the weights, synapses, time of the arrival before, trace at that time. */
// @ts-ignore: decorator
@inline
function piecesOfBatch(): usize {
  return synapseScratchAt() + 2 * ROOM;
}

// How far this thread has come through a list of sources.
let source: u32 = 0;
let synapse: u32 = 0;
let synapses: u32 = 0;
// Where that list is, and whether its weights were brought together.
let idsAt: usize = 0;
let beforeAt: usize = 0;
let sourceTracesAt: usize = 0;
let isStaged: bool = false;
/** What was read ahead goes somewhere, or the reads would be left out. */
export let touched: u32 = 0;

// @ts-ignore: decorator
@inline
function copyTargets(row: usize, n: u32, to: usize): void {
  for (let k: u32 = 0; k < n; k += 4) v128.store(to + (<usize>k << 2), v128.load16x4_u(row + (<usize>k << 1)));
}

// @ts-ignore: decorator
@inline
function countUp(first: u32, n: u32, to: usize): void {
  let counters = i32x4.add(i32x4.splat(first), i32x4(0, 1, 2, 3));
  for (let k: u32 = 0; k < n; k += 4) {
    v128.store(to + (<usize>k << 2), counters);
    counters = i32x4.add(counters, i32x4.splat(4));
  }
}

/** Lays out the next batch of synapses. Returns the number of pieces. */
function layOut(sector: u32, sources: u32): u32 {
  const counters = targetsOfBatch();
  const positions = roundingsOfBatch();
  const perSource = quotient;
  const isEven = !extras;
  let piece = piecesOfBatch();
  let have: u32 = 0;
  while (source < sources && have < BATCH) {
    const at = <usize>source << 2;
    const id = load<u32>(idsAt + at);
    const total = isEven ? perSource : synapsesIn(id, sector);
    const take = min(total - synapse, BATCH - have);
    const before = isEven ? sector * perSource : synapsesBefore(id, sector);
    const position = id * outDegree + before + synapse;
    const to = <usize>have << 2;
    if (isStored) copyTargets(targetRow(id, sector) + (<usize>synapse << 1), take, counters + to);
    else countUp(id * (perSource + 1) + synapse, take, counters + to);
    countUp(position, take, positions + to);
    const row = isStaged ? stagedRow(sector, source) : weightRow(id, sector);
    const weights = row + (<usize>synapse << 1);
    store<u32>(piece, weights);
    store<u32>(piece, take, 4);
    store<u32>(piece, load<u32>(beforeAt + at), 8);
    store<u32>(piece, load<u32>(sourceTracesAt + at), 12);
    // A source without synapses here is no piece, so that pieces are no more than synapses.
    if (take) piece += 16;
    have += take;
    synapse += take;
    if (synapse == total) {
      synapse = 0;
      source++;
    }
  }
  synapses = have;
  return <u32>(piece - piecesOfBatch()) >> 4;
}

/** Targets and roundings of the batch, four at a time. */
function draw(sector: u32, step: u32): void {
  const keys = targetKeysAt + (<usize>sector << 3);
  const t0 = i32x4.splat(load<u32>(keys));
  const t1 = i32x4.splat(load<u32>(keys, 4));
  const r0 = i32x4.splat(roundingKey0 + step * 0x9e3779b1);
  const r1 = i32x4.splat(roundingKey1);
  const neurons = i32x4.splat(sectorNeurons(sector));
  const targets = targetsOfBatch();
  const roundings = roundingsOfBatch();
  const end = <usize>synapses << 2;
  for (let k: usize = 0; k < end; k += 16) {
    if (!isStored) v128.store(targets + k, mulhi4(hash4(v128.load(targets + k), t0, t1), neurons));
    v128.store(roundings + k, i32x4.shr_u(hash4(v128.load(roundings + k), r0, r1), 24));
  }
}

/**
 * Begins the reads of the weights and of what the neurons behind the batch did last. Nothing else is in these loops, so that
 * dozens of reads are under way at a time: each alone would wait for memory longer than a visit takes.
 */
function touchMemory(pieces: u32, recent: usize, currents: usize): void {
  let sum: u32 = 0;
  let piece = piecesOfBatch();
  // What was brought together is one stream, which the processor reads ahead by itself.
  const lastPiece = piece + (isStaged ? 0 : <usize>pieces << 4);
  for (; piece < lastPiece; piece += 16) {
    const weights = <usize>load<u32>(piece);
    sum += <u32>load<u16>(weights) + <u32>load<u16>(weights + (<usize>load<u32>(piece, 4) << 1));
  }
  let at = targetsOfBatch();
  const end = at + (<usize>synapses << 2);
  for (; at < end; at += 4) {
    const j = load<u32>(at);
    sum += load<u32>(recent + (<usize>j << 3));
    sum += load<u32>(currents + stateOffset(j));
  }
  touched = sum;
}

/** Entries of four distances; those outside the table, and those not after the arrival, become the entry that holds 0. */
// @ts-ignore: decorator
@inline
function entries4(distances: v128, shift: i32, end: v128): v128 {
  // As unsigned numbers, negative distances lie behind every table; distance 0 is made to.
  const after = v128.or(distances, i32x4.eq(distances, i32x4.splat(0)));
  return i32x4.min_u(i32x4.shr_u(after, shift), end);
}

// @ts-ignore: decorator
@inline
function sum4(table: usize, entries: v128): i32 {
  return (
    load<i32>(table + (<usize>i32x4.extract_lane(entries, 0) << 2)) +
    load<i32>(table + (<usize>i32x4.extract_lane(entries, 1) << 2)) +
    load<i32>(table + (<usize>i32x4.extract_lane(entries, 2) << 2)) +
    load<i32>(table + (<usize>i32x4.extract_lane(entries, 3) << 2))
  );
}

/**
 * Potentiation by the newest sixteen spikes, from the `from`-th of them on, by fours; out of line, since few neurons spike five
 * times between two arrivals, and few sources are silent for so long that recent times do not do.
 */
function potentiationByHistory(neuron: u32, arrival: i32, from: u32): i32 {
  const history = historyAt + (<usize>neuron << 6);
  const before = i32x4.splat(arrival);
  const end = i32x4.splat(potentiationEntries);
  const shift = <i32>potentiationShift;
  let sum: i32 = 0;
  for (let k = <usize>from << 2; k < 64; k += 16) {
    sum += sum4(potentiationAt, entries4(i32x4.sub(v128.load(history + k), before), shift, end));
  }
  if (arrival != NEVER && load<i32>(history, 60) > arrival) atomic.add<u32>(tallyAt, 1, 4);
  return sum;
}

/** One side of a change is cut here, so that their difference fits in 32 bits. */
const CHANGE_MAX: f32 = 536870912;

// @ts-ignore: decorator
@inline
function scaled(value: i32, trace: f32): i32 {
  return <i32>min(<f32>value * trace, CHANGE_MAX);
}

/** Potentiation and depression of a synapse are known: its weight, and what it adds to the current of its target. */
// @ts-ignore: decorator
@inline
function change(weightAt: usize, up: i32, down: i32, rounding: usize, current: usize, unit: f32): void {
  const before8 = <i32>load<u16>(weightAt) << 8;
  const weight = max(min((before8 + up - down + <i32>load<u32>(rounding)) >> 8, 65535), 0);
  store<u16>(weightAt, <u16>weight);
  store<f32>(current, load<f32>(current) + <f32>weight * unit);
}

/** A piece of a row by the whole history of its targets: always right, and slow. */
function visitByHistory(sector: u32, piece: usize, target: usize, rounding: usize, currents: usize, step: u32, unit: f32): void {
  const base = sectorBase(sector);
  const arrival = load<i32>(piece, 8);
  let weightAt = <usize>load<u32>(piece);
  const weightEnd = weightAt + (<usize>load<u32>(piece, 4) << 1);
  for (; weightAt < weightEnd; weightAt += 2, target += 4, rounding += 4) {
    const j = load<u32>(target);
    let up = potentiationByHistory(base + j, arrival, 0);
    const newest = load<i32>(historyAt + (<usize>(base + j) << 6));
    const distance = <u32>(<i32>step - newest) >> depressionShift;
    let down = load<i32>(depressionAt + (<usize>min(distance, depressionEntries) << 2));
    if (rule == ALL_PAIRS) {
      up = scaled(up, load<f32>(piece, 12));
      down = scaled(down, load<f32>(tracesAt + (<usize>(base + j) << 3), 4));
    }
    change(weightAt, up, down, rounding, currents + stateOffset(j), unit);
  }
}

/**
 * Changes the weights of the batch and adds them to the currents of their targets, in the order of the synapses: by the newest
 * four times of the targets, where the source arrived not too long ago. Ages are unsigned there, so a spike after the arrival is
 * one that is younger, by the distance that is looked up; distance 0 stands for those that are not, and its entry holds 0.
 */
function visit(sector: u32, pieces: u32, currents: usize, step: u32, unit: f32): void {
  const base = sectorBase(sector);
  const recent = recentAt + (<usize>base << 3);
  const isEnough = areRecentTimesEnough();
  const now = i16x8.splat(<i16>step);
  const end = i16x8.splat(<i16>potentiationEntries);
  const potentiations = potentiationAt;
  const depressions = depressionAt;
  const lastDepression = depressionEntries;
  const isAllPairs = rule == ALL_PAIRS;
  let target = targetsOfBatch();
  let rounding = roundingsOfBatch();
  let piece = piecesOfBatch();
  for (let p: u32 = 0; p < pieces; p++, piece += 16) {
    const arrival = load<i32>(piece, 8);
    let weightAt = <usize>load<u32>(piece);
    const bytes = <usize>load<u32>(piece, 4) << 1;
    const weightEnd = weightAt + bytes;
    // A source that has not arrived before pairs with no spike after: as one that has arrived just now.
    const ago: u32 = arrival == NEVER ? 0 : <u32>(<i32>step - arrival);
    if (!isEnough || ago >= RECENT_AGES) {
      visitByHistory(sector, piece, target, rounding, currents, step, unit);
      target += bytes << 1;
      rounding += bytes << 1;
      continue;
    }
    const reach = i16x8.splat(<i16>ago);
    for (; weightAt < weightEnd; weightAt += 2, target += 4, rounding += 4) {
      const j = load<u32>(target);
      const ages = i16x8.sub(now, v128.load64_zero(recent + (<usize>j << 3)));
      const entries = i64x2.extract_lane(i16x8.min_u(i16x8.sub_sat_u(reach, ages), end), 0);
      const fourth = <usize>(<u64>entries >> 48);
      let up =
        load<i32>(potentiations + ((<usize>entries & 0xffff) << 2)) +
        load<i32>(potentiations + ((<usize>(entries >> 16) & 0xffff) << 2)) +
        load<i32>(potentiations + ((<usize>(entries >> 32) & 0xffff) << 2)) +
        load<i32>(potentiations + (fourth << 2));
      if (fourth) up += potentiationByHistory(base + j, arrival, 4);
      const age = <u32>i16x8.extract_lane_u(ages, 0);
      let down = load<i32>(depressions + (<usize>min(age, lastDepression) << 2));
      if (isAllPairs) {
        up = scaled(up, load<f32>(piece, 12));
        down = scaled(down, load<f32>(tracesAt + (<usize>(base + j) << 3), 4));
      }
      change(weightAt, up, down, rounding, currents + stateOffset(j), unit);
    }
  }
}

function deliverList(sector: u32, first: u32, end: u32, currents: usize, step: u32, unit: f32): void {
  source = first;
  synapse = 0;
  while (source < end) {
    const pieces = layOut(sector, end);
    draw(sector, step);
    touchMemory(pieces, recentAt + (<usize>sectorBase(sector) << 3), currents);
    visit(sector, pieces, currents, step, unit);
  }
}

/** The sources in the thread's scratch, all excitatory, ascending: the order in which a current adds up is theirs. */
export function deliverPlastic(sector: u32, sources: u32, currents: usize, step: u32, unit: f32): void {
  idsAt = excitatoryIdsAt();
  beforeAt = previousAt();
  sourceTracesAt = tracesOfSourcesAt();
  isStaged = false;
  deliverList(sector, 0, sources, currents, step, unit);
}

/** Sources of the block's list of arrivals, whose weights were brought together. */
export function deliverArrivals(sector: u32, first: u32, end: u32, currents: usize, step: u32, unit: f32): void {
  idsAt = arrivingIdsAt();
  beforeAt = arrivedBeforeAt();
  sourceTracesAt = arrivedTracesAt();
  isStaged = true;
  deliverList(sector, first, end, currents, step, unit);
}

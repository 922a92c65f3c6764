import { firstArrival, staged } from './arrivals';
import { deliverArrivals, deliverPlastic } from './deliver-plastic';
import { deliverProcedural, deliverStored } from './deliver-static';
import {
  BLOCK_STEPS_MAX,
  blockSteps,
  blockTablesAt,
  CHUNK,
  delaySteps,
  isStored,
  outDegree,
  ringHead,
  rule,
  sectorCount,
  statesAt,
  stateStride,
} from './run';
import { prepareRecent } from './history';
import { appendSources, excitatoryIdsAt, inhibitoryIdsAt } from './sources';
import { updateSector } from './update';

const EXCITATORY: usize = 64;
const INHIBITORY: usize = 128;

/** Entry of one of the tables of a block: be, bi, we, wi, unit. */
// @ts-ignore: decorator
@inline
function blockEntry(table: usize, step: u32): f32 {
  return load<f32>(blockTablesAt + ((table * BLOCK_STEPS_MAX + <usize>(step % blockSteps)) << 2));
}

function deliverStatic(sector: u32, ids: usize, n: u32, currents: usize, weight: f32): void {
  if (isStored) deliverStored(sector, ids, n, currents, weight);
  else deliverProcedural(sector, ids, n, currents, weight);
}

function deliverExcitatory(sector: u32, n: u32, state: usize, step: u32): void {
  if (!n) return;
  if (rule) deliverPlastic(sector, n, state + EXCITATORY, step, blockEntry(4, step));
  else deliverStatic(sector, excitatoryIdsAt(), n, state + EXCITATORY, blockEntry(2, step));
}

function deliverInhibitory(sector: u32, n: u32, state: usize, step: u32): void {
  if (n) deliverStatic(sector, inhibitoryIdsAt(), n, state + INHIBITORY, blockEntry(3, step));
}

/** Brings the spikes of all sectors in the step that is a delay ago to the neurons of one sector. */
function deliver(sector: u32, step: u32, stepOfSegment: u32): void {
  const sent = step - delaySteps;
  const state = statesAt + <usize>sector * stateStride;
  if (staged) {
    const first = firstArrival(stepOfSegment);
    const end = firstArrival(stepOfSegment + 1);
    deliverArrivals(sector, first, end, state + EXCITATORY, step, blockEntry(4, step));
  }
  let excitatory: u32 = 0;
  let inhibitory: u32 = 0;
  for (let from: u32 = 0; from < sectorCount; from++) {
    const head = ringHead(from, sent);
    const first = load<u32>(head);
    const split = load<u32>(head, 8);
    const count = load<u32>(head, 4);
    for (let k: u32 = staged ? split : 0; k < split; ) {
      const n = min(split - k, CHUNK - excitatory);
      appendSources(from, first + k, n, excitatoryIdsAt(), excitatory, rule != 0);
      k += n;
      excitatory += n;
      if (excitatory == CHUNK) {
        deliverExcitatory(sector, excitatory, state, step);
        excitatory = 0;
      }
    }
    for (let k = split; k < count; ) {
      const n = min(count - k, CHUNK - inhibitory);
      appendSources(from, first + k, n, inhibitoryIdsAt(), inhibitory, false);
      k += n;
      inhibitory += n;
      if (inhibitory == CHUNK) {
        deliverInhibitory(sector, inhibitory, state, step);
        inhibitory = 0;
      }
    }
  }
  deliverExcitatory(sector, excitatory, state, step);
  deliverInhibitory(sector, inhibitory, state, step);
}

/** One task: a sector through steps of one block. It needs no spike of this block but its own. */
export function advanceSector(sector: u32, from: u32, to: u32): void {
  if (rule) prepareRecent(sector, from, blockSteps);
  for (let step = from; step < to; step++) {
    if (outDegree && step >= delaySteps) deliver(sector, step, step - from);
    updateSector(sector, step);
  }
}

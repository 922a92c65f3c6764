import type { BaseFieldName } from '@svc/kernels';
import type { Air } from './air.js';
import { bindingAir, bindingM31Air, bindingV1Air, bindingV1M31Air } from './binding.air.js';
import { counterAir, counterM31Air } from './counter.air.js';
import { cubic8Air, cubic8M31Air } from './cubic8.air.js';
import { fibonacciAir, fibonacciM31Air } from './fibonacci.air.js';
import { hashChainAir, hashChainM31Air } from './hash-chain.air.js';
import { lifStepAir, lifStepM31Air } from './lif-step.air.js';
import { preimageAir, preimageM31Air, preimageV1Air, preimageV1M31Air } from './preimage.air.js';
import type { RawAir } from './raw-air.js';
import { spatialBoxAir } from './spatial-box.air.js';
import { rulesAir } from './rules.air.js';

/** AIRs of which traces can be given. A new one is a file beside these and a line here. */
const RAW_AIRS = [
  fibonacciAir,
  fibonacciM31Air,
  counterAir,
  counterM31Air,
  lifStepAir,
  lifStepM31Air,
  cubic8Air,
  cubic8M31Air,
] as readonly RawAir[];

/** Every AIR that prover and verifier know. A new one is a file beside these and a line here. */
const AIRS = [
  hashChainAir,
  hashChainM31Air,
  bindingAir,
  bindingM31Air,
  preimageAir,
  preimageM31Air,
  bindingV1Air,
  bindingV1M31Air,
  preimageV1Air,
  preimageV1M31Air,
  spatialBoxAir,
  ...RAW_AIRS,
  rulesAir,
] as readonly Air[];

const BY_KEY = byKey(AIRS);
const AIR_IDS = [...new Set(AIRS.map(air => air.id))];
const RAW_BY_KEY = byKey(RAW_AIRS);

/** The AIR of a versioned id over a field, or undefined. */
export function findAir(id: string, field: BaseFieldName = 'goldilocks'): Air | undefined {
  return BY_KEY.get(`${field} ${id}`);
}

/** The known ids, in order of registration. */
export function airIds(): readonly string[] {
  return AIR_IDS;
}

/** As findAir, of AIRs whose whole trace a witness may be. */
export function findRawAir(id: string, field: BaseFieldName = 'goldilocks'): RawAir | undefined {
  return RAW_BY_KEY.get(`${field} ${id}`);
}

export function rawAirIds(): string[] {
  return [...new Set(RAW_AIRS.map(air => air.id))];
}

function byKey<A extends Air>(airs: readonly A[]): ReadonlyMap<string, A> {
  return new Map(airs.map(air => [`${air.field} ${air.id}`, air]));
}

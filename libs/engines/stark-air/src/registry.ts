import type { BaseFieldName } from '@svc/kernels';
import type { Air } from './air.js';
import { cubic8Air } from './cubic8.air.js';
import { fibonacciAir } from './fibonacci.air.js';
import { hashChainAir } from './hash-chain.air.js';

/** Every AIR that prover and verifier know. A new one is a file beside these and a line here. */
const AIRS: readonly Air[] = [hashChainAir, fibonacciAir, cubic8Air] as readonly Air[];

const BY_KEY: ReadonlyMap<string, Air> = new Map(AIRS.map(air => [`${air.field} ${air.id}`, air]));
const IDS: ReadonlySet<string> = new Set(AIRS.map(air => air.id));

/** The AIR of a versioned id over a field, or undefined. */
export function findAir(id: string, field: BaseFieldName = 'goldilocks'): Air | undefined {
  return BY_KEY.get(`${field} ${id}`);
}

/** The known ids, in order of registration. */
export function airIds(): string[] {
  return [...IDS];
}

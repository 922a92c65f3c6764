import type { Air } from './air.js';
import { cubic8Air } from './cubic8.air.js';
import { fibonacciAir } from './fibonacci.air.js';
import { hashChainAir } from './hash-chain.air.js';

/** Every AIR that prover and verifier know. A new one is a file beside these and a line here. */
const AIRS: readonly Air[] = [hashChainAir, fibonacciAir, cubic8Air] as readonly Air[];

const BY_ID: ReadonlyMap<string, Air> = new Map(AIRS.map(air => [air.id, air]));

/** The AIR of a versioned id, or undefined. */
export function findAir(id: string): Air | undefined {
  return BY_ID.get(id);
}

/** The known ids, in order of registration. */
export function airIds(): string[] {
  return [...BY_ID.keys()];
}

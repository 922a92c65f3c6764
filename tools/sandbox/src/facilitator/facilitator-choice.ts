import type { LocalChain } from '../chain/local-chain.js';
import type { StrictFacilitator } from './strict-facilitator.js';
import { LEAST_AMOUNT } from './strict-rules.js';

/** Names the variable that chooses who settles on the local chain. */
export const FACILITATOR_VARIABLE = 'FACILITATOR';

/** Who settles on the local chain: the service itself, with the chain's key, or a strict facilitator of others. */
export type FacilitatorChoice = 'own' | 'strict';

/** @throws Error for a choice that is none, naming the variable */
export function facilitatorChoice(
  variables: Readonly<Record<string, string | undefined>>,
): FacilitatorChoice {
  const chosen = variables[FACILITATOR_VARIABLE] || 'own';
  if (chosen === 'own' || chosen === 'strict') return chosen;
  throw new Error(`${FACILITATOR_VARIABLE}: must be own or strict, got ${JSON.stringify(chosen)}`);
}

/** Who settles, and how the payments service finds the chain and him: its variables. */
export interface ChosenFacilitator {
  readonly strict?: StrictFacilitator;
  readonly variables: Readonly<Record<string, string>>;
}

/** Starts who is chosen, where he is a process of his own. */
export async function startFacilitator(
  choice: FacilitatorChoice,
  chain: LocalChain,
  log?: (line: string) => void,
): Promise<ChosenFacilitator> {
  const { rpcUrl, network, payTo, facilitatorKey } = chain;
  const terms = { X402_RPC_URL: rpcUrl, X402_NETWORK: network, X402_PAY_TO: payTo };
  if (choice === 'own') return { variables: { ...terms, X402_FACILITATOR_KEY: facilitatorKey } };
  // Its libraries take half a second to load: they are loaded where it is chosen.
  const { startStrictFacilitator } = await import('./strict-facilitator.js');
  const strict = await startStrictFacilitator({ chain, log });
  const settled = { X402_FACILITATOR_URL: strict.url, X402_LEAST_MICRO_USD: String(LEAST_AMOUNT) };
  return { strict, variables: { ...terms, ...settled } };
}

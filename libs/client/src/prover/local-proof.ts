import type { OwnProof, OwnProofOptions } from '@svc/stark-prover';
import { encodeBase64 } from '../challenge/byte-text.js';

/** What the maker of a proof may choose: parameters, context, and how it is told of the stages or ends it. */
export type LocalProofOptions = OwnProofOptions;

/** A proof that was made here, as its file has it: what `verifyLocally` and `svc air verify` take. */
export interface LocalProof extends Omit<OwnProof, 'proof'> {
  /** Base64. */
  readonly proof: string;
  /** From the definition to the verified proof, milliseconds. */
  readonly proverLatencyMs: number;
}

const OPTIONS = [
  ...['parameterSet', 'friBlowup', 'degree', 'zeroKnowledge', 'contextDomain', 'signal', 'onStage'],
  ...['threads', 'kernels'],
];

/** @throws TypeError for an option that is none: one that is misspelt would be passed over */
export function assertOptions(options: object): void {
  const unknown = Object.keys(options).find(name => !OPTIONS.includes(name));
  if (unknown !== undefined) throw new TypeError(`${unknown} is no option: there are ${OPTIONS.join(', ')}`);
}

/** A definition as its text, which is read strictly, or as the object of that text, of which each member is one already. */
export const definitionText = (air: string | object): string =>
  typeof air === 'string' ? air : JSON.stringify(air);

/** A proof with its bytes as base64, and what it took. */
export async function timedProof(make: () => Promise<OwnProof>): Promise<LocalProof> {
  const startedAt = performance.now();
  const { proof, ...rest } = await make();
  return { ...rest, proof: encodeBase64(proof), proverLatencyMs: performance.now() - startedAt };
}

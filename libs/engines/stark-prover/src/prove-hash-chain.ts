import {
  hashChainAir,
  type HashChainPublicInputs,
  type HashChainWitness,
  parseChainInput,
} from '@svc/stark-air';
import {
  PARAMETER_SETS,
  ParameterError,
  type ParameterSetId,
  parametersOf,
  TRACE_LENGTH_MAX,
} from '@svc/stark-verifier';
import { type ProveOptions, prove, type ProveResult } from './prove.js';

export const DEGREE_MIN = 8;

export interface ProveHashChainOptions extends Pick<
  ProveOptions<HashChainPublicInputs, HashChainWitness>,
  'contextDomain' | 'backend' | 'signal' | 'onStage'
> {
  /** `0x…` for bytes in hexadecimal, anything else for text; 1 … 65,536 bytes. */
  readonly traceData: string;
  /** Rows asked for, a power of two, 8 … 2^20; fewer than 64 are proved as 64. Default 65,536. */
  readonly degree?: number;
  /** 2, 4, 8, 16 or 32. Default 8. */
  readonly friBlowup?: number;
  /** Default P100. */
  readonly parameterSet?: ParameterSetId;
}

/**
 * Proves that a Poseidon2 sponge absorbs traceData and reaches the output after degree/32 permutations.
 * @throws ParameterError, WitnessError, ContextDomainError
 */
export async function proveHashChain(
  options: ProveHashChainOptions,
): Promise<ProveResult<HashChainPublicInputs>> {
  const { traceData, degree = 65_536, friBlowup = 8, parameterSet = 'P100', ...rest } = options;
  if (!Number.isInteger(Math.log2(degree)) || degree < DEGREE_MIN || degree > TRACE_LENGTH_MAX) {
    throw new ParameterError('degree', `a power of two from ${DEGREE_MIN} to ${TRACE_LENGTH_MAX}`, degree);
  }
  const traceLength = Math.max(degree, hashChainAir.traceLengthMin);
  const parameters = parametersOf(PARAMETER_SETS[parameterSet], traceLength, friBlowup);
  // Before a backend is asked for anything: workers and memory are not spent on input that cannot be proved.
  parseChainInput(traceData, traceLength);
  return prove({ ...rest, air: hashChainAir, witness: { traceData }, parameters });
}

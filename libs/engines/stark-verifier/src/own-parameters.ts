import type { OwnDefinition } from '@svc/stark-air';
import {
  PARAMETER_SETS,
  ParameterError,
  type ParameterSetId,
  parametersOf,
  setParameters,
} from './parameters.js';
import { PROFILE_FACTS } from './profile-facts.js';
import type { ProofParameters } from './proof-parameters.js';
import { maskingRowCount, TRACE_LENGTH_MAX, traceLengthFor } from './trace-length.js';

/** The set that a proof under a definition has where none is named, by its field. */
export const OWN_SETS = { goldilocks: 'P100', m31: 'm31' } as const;

/** What the maker of a proof under a definition may choose. */
export interface OwnParameterWish {
  readonly parameterSet?: ParameterSetId | undefined;
  /** 2, 4, 8, 16 or 32. Default 8. */
  readonly friBlowup?: number | undefined;
  /** Rows of the trace, a power of two; by default as few as the statement needs. */
  readonly degree?: number | undefined;
  /** Whether the proof hides the trace. Default true. */
  readonly zeroKnowledge?: boolean | undefined;
}

/**
 * Parameters of a proof of `rows` rows under a definition.
 * @throws ParameterError naming what is out of range, also where the set is not over the definition's field
 */
export function ownParameters(
  definition: OwnDefinition,
  rows: number,
  { parameterSet, friBlowup = 8, degree, zeroKnowledge = true }: OwnParameterWish = {},
): ProofParameters {
  const { field, cycles } = definition;
  const id = parameterSet ?? OWN_SETS[field];
  const ofField = Object.values(PARAMETER_SETS).filter(each => PROFILE_FACTS[each.profile].base === field);
  const set = ofField.find(each => each.id === id);
  if (!set) throw new ParameterError('parameterSet', `one of ${ofField.map(each => each.id).join(', ')}`, id);
  const longest = Math.max(0, ...cycles.map(({ values }) => values.length));
  const rules = setParameters(set, friBlowup, zeroKnowledge);
  const least = traceLengthFor(rules, rows + 1, longest);
  if (least > TRACE_LENGTH_MAX) {
    const most = TRACE_LENGTH_MAX - maskingRowCount(rules) - 1;
    throw new ParameterError('rows', `at most ${most}, beside the masks of the longest trace`, rows);
  }
  if (degree !== undefined && degree < least)
    throw new ParameterError('degree', `at least ${least}, which ${rows} rows need`, degree);
  return parametersOf(set, degree ?? least, friBlowup, zeroKnowledge);
}

/** Why a text is no definition. Each way in which a definition would say nothing has a code of its own. */
export const DEFINITION_ERROR_CODES = [
  'malformed-json',
  'malformed-definition',
  'too-long',
  'unknown-name',
  'degree-too-high',
  'node-repeated',
  'node-unused',
  'constraint-without-column',
  'constraint-always-zero',
  'constraint-repeated',
  'column-unused',
  'public-input-unbound',
  'boundary-repeated',
  'boundary-rows-too-many',
  'definition-unknown',
] as const;
export type DefinitionErrorCode = (typeof DEFINITION_ERROR_CODES)[number];

/** A definition that is refused. `path` names the place, dots between levels; `max` and `got` stand where a bound is passed. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError';

  constructor(
    readonly code: DefinitionErrorCode,
    readonly path: string,
    readonly reason: string,
    readonly bound?: { readonly max: number; readonly got: number },
  ) {
    super(`${path === '' ? 'the definition' : path} ${reason}`);
  }
}

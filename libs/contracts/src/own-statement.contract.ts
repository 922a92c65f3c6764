import { z } from 'zod';
import { base64Chars } from './wire-format.js';

/** Bounds of what comes by HTTP; longer traces are proved where their owner is. */
export const OWN_ROWS_MAX = 65_536;
export const OWN_ELEMENTS_MAX = 262_144;
const OWN_COLUMNS_MAX = 64;
const ROWS_MIN = 2;
/** A definition's canonical text, and how much of it spaces may be beside. */
const DEFINITION_CHARS_MAX = 1_048_576;
/** Of the longest element over the larger field. */
const ELEMENT_BYTES = 8;
/** Decimal digits of 2^64. */
const ELEMENT_CHARS_MAX = 20;
const NAME_CHARS_MAX = 32;
const ELEMENT = /^(0x[0-9a-fA-F]+|[0-9]+)$/;
const HINTS_MAX = 64;

/** A field element: a decimal or hexadecimal string, or a number that JSON carries exactly. */
export const FieldElement = z.union([
  z
    .string()
    .max(ELEMENT_CHARS_MAX)
    .regex(ELEMENT, { error: 'a decimal number, or hexadecimal digits after 0x' }),
  z.int().min(0),
]);

const { $schema: _dialect, ...ELEMENT_SCHEMA } = z.toJSONSchema(FieldElement, { io: 'input' });
/**
 * A column of a trace. The first element that is none is named, and the rest is not looked at: zod would keep an issue for each of a quarter of a
 * million.
 */
const TraceColumn = z
  .array(z.unknown())
  .min(ROWS_MIN)
  .max(OWN_ROWS_MAX)
  .superRefine((column, context) => {
    const at = column.findIndex(element => !isFieldElement(element));
    if (at < 0) return;
    for (const { message } of FieldElement.safeParse(column[at]).error?.issues ?? [])
      context.addIssue({ code: 'custom', path: [at], message });
  })
  .meta({ items: ELEMENT_SCHEMA });
const isFieldElement = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.length <= ELEMENT_CHARS_MAX && ELEMENT.test(value)
    : Number.isSafeInteger(value) && (value as number) >= 0;

/** Columns of a trace, one array each. */
export const TraceColumns = z.array(TraceColumn).min(1).max(OWN_COLUMNS_MAX);

const Name = z.string().min(1).max(NAME_CHARS_MAX);
const NamedElements = z
  .record(Name, FieldElement)
  .refine(record => Object.keys(record).length <= OWN_COLUMNS_MAX, {
    error: `at most ${OWN_COLUMNS_MAX} members`,
    params: { bound: OWN_COLUMNS_MAX },
  });
const Hint = z.union([
  z.strictObject({ bits: z.strictObject({ of: Name, into: z.array(Name).min(1).max(OWN_COLUMNS_MAX) }) }),
  z.strictObject({ inverse: z.strictObject({ of: Name, into: Name }) }),
]);

/** A definition, `air/1`: its text, or the object that the text is of. */
export const AirDefinition = z
  .union([z.string().min(2).max(DEFINITION_CHARS_MAX), z.record(z.string().max(64), z.unknown())])
  .meta({
    id: 'AirDefinition',
    description:
      'A definition, `air/1` (docs/own-statements.md): its JSON text, or the object. Of two equal members an object keeps one, and a text is refused',
  });

/** `air/sha256:` and the hash of a definition's canonical text. */
export const OwnAirId = z.string().regex(/^air\/sha256:[0-9a-f]{64}$/);

/** What a request says of the trace of a statement under a definition. */
export const ownTraceFields = {
  public: NamedElements.optional().meta({
    description:
      'own: public inputs by name. Those that a constraint uses are needed; of others that a cell is fixed to, what the trace has is taken',
  }),
  rows: z
    .int()
    .min(ROWS_MIN)
    .max(OWN_ROWS_MAX)
    .optional()
    .meta({ description: 'own: rows that the statement speaks of; by default as many as `trace` has' }),
  start: NamedElements.optional().meta({
    description: 'own: row 0 of the columns that follow from the row before, where no cell of it is fixed',
  }),
  traceBytes: z
    .base64()
    .min(4)
    .max(base64Chars(OWN_ELEMENTS_MAX * ELEMENT_BYTES))
    .optional()
    .meta({
      description:
        'own: in place of `trace`, base64 of its elements, column after column, little-endian: 8 bytes each over Goldilocks, 4 over M31',
    }),
  filler: NamedElements.optional().meta({
    description: 'own: the given columns in the rows behind `rows`; by default their last row goes on',
  }),
  hints: z.array(Hint).max(HINTS_MAX).optional().meta({
    description:
      'own: columns that are made from others instead of being sent: `{"bits":{"of":"v","into":["b0","b1"]}}`, least bit first, or `{"inverse":{"of":"x","into":"y"}}`, 0 for 0',
  }),
};

/** The members that are of a trace alone: no evidence speaks of them. */
export const OWN_TRACE_MEMBERS = ['start', 'trace', 'traceBytes', 'filler', 'hints'] as const;

/** Refuses more elements than one request may bring. */
export function refuseManyElements(trace: readonly unknown[][] | undefined, context: z.RefinementCtx): void {
  const got = trace?.reduce((sum, column) => sum + column.length, 0) ?? 0;
  if (got <= OWN_ELEMENTS_MAX) return;
  const message = `must have at most ${OWN_ELEMENTS_MAX} elements in all; send traceBytes, or prove it where the trace is`;
  context.addIssue({ code: 'custom', path: ['trace'], message, params: { bound: OWN_ELEMENTS_MAX, got } });
}

const Names = z.array(z.string());

/** What can be told of a definition without running it. */
export const AirFacts = z
  .object({
    columns: z.int(),
    nodes: z.int(),
    constraints: z.int(),
    degree: z.int(),
    stepped: Names.meta({ description: 'Columns that follow from the row before: `next c − f`' }),
    local: Names.meta({ description: 'Columns that follow from their own row: `c − f`' }),
    given: Names.meta({ description: 'Columns that the prover chooses' }),
    freeOfNext: Names.meta({ description: 'Columns that may hold any other value in each row' }),
    fixesNothing: z
      .boolean()
      .meta({ description: 'No cell is fixed: any trace that keeps the constraints will do' }),
    showsNothing: z.boolean().meta({ description: 'Nothing is public but the number of rows' }),
    zeroHolds: z
      .boolean()
      .optional()
      .meta({ description: 'Whether a trace of zeros fulfils it; absent where looking takes too long' }),
  })
  .meta({ id: 'AirFacts' });
export type AirFacts = z.infer<typeof AirFacts>;

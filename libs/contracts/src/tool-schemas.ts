import type { z } from 'zod';
import { publishedSchema } from './published-schema.js';
import { toolDefinition, type ToolName } from './tool-catalog.contract.js';

/** A JSON Schema (draft 2020-12) of an object, complete in itself. */
export interface ToolSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
}

/** What a tool takes, as its callers may send it: members with a default may be left out, and there are no others. */
export const toolInputSchema = (tool: ToolName): ToolSchema => inputSchemaOf(toolDefinition(tool).input);

/** What a tool gives. An answer has its evidence beside that, and may grow. */
export const toolOutputSchema = (tool: ToolName): ToolSchema => outputSchemaOf(toolDefinition(tool).output);

/** As callers may send it; of alternatives one object that has the members of all. */
export const inputSchemaOf = (schema: z.ZodType): ToolSchema =>
  oneObject(selfContained(publishedSchema(schema, { io: 'input' })));

/** As it is answered, which may grow. */
export const outputSchemaOf = (schema: z.ZodType): ToolSchema =>
  selfContained(
    publishedSchema(schema, {
      io: 'output',
      override: ({ zodSchema, jsonSchema }) => {
        const { def } = zodSchema._zod;
        if (def.type === 'object' && !('catchall' in def && def.catchall))
          delete jsonSchema.additionalProperties;
      },
    }),
  );

/** Models are shown one object: what must not stand beside what is said where it is refused. */
function oneObject(schema: ToolSchema & { readonly anyOf?: readonly ToolSchema[] }): ToolSchema {
  const { anyOf = [] } = schema;
  if (anyOf.length === 0) return schema;
  return {
    type: 'object',
    properties: Object.assign({}, ...anyOf.map(({ properties }) => properties)) as ToolSchema['properties'],
    required: (anyOf[0].required ?? []).filter(name =>
      anyOf.every(({ required }) => required?.includes(name)),
    ),
    additionalProperties: false,
  };
}

/** The schema with every reference to a definition of its own replaced by that. */
function selfContained(schema: object): ToolSchema {
  const { $schema: _dialect, $defs = {}, ...body } = schema as Record<string, unknown>;
  const definitions = $defs as Record<string, Record<string, unknown>>;
  const inlined = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inlined);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, ...rest } = value as Record<string, unknown>;
    const members = Object.fromEntries(Object.entries(rest).map(([name, member]) => [name, inlined(member)]));
    if (typeof $ref !== 'string') return members;
    const { id: _id, ...definition } = definitions[$ref.replace('#/$defs/', '')];
    return { ...(inlined(definition) as object), ...members };
  };
  return inlined(body) as ToolSchema;
}

import type { z } from 'zod';
import { Bytes } from '../procedure.js';
import { publishedSchema } from '../published-schema.js';

export type JsonSchema = { [member: string]: unknown };
type Direction = 'input' | 'output';

const DEFINITIONS = '#/definitions/';
const COMPONENTS = '#/components/schemas/';

/** How raw bytes stand in the JSON part of a message. */
const BYTES: JsonSchema = {
  type: 'object',
  description: 'Raw bytes: their offset and length in the part of the message behind its JSON',
  properties: {
    $bytes: { type: 'array', items: { type: 'integer', minimum: 0 }, minItems: 2, maxItems: 2 },
  },
  required: ['$bytes'],
  additionalProperties: false,
};

/**
 * Collects JSON Schemas (draft 7, which AsyncAPI 3.0 extends) of zod schemas. A schema with an `id` becomes a component:
 * under its id as it is answered, and with `Request` at its end as it is asked where that is another schema.
 */
export class JsonSchemas {
  private readonly definitions: Record<Direction, Map<string, JsonSchema>> = {
    input: new Map(),
    output: new Map(),
  };
  private readonly used: { readonly direction: Direction; readonly schema: JsonSchema }[] = [];

  /** What may be sent: defaults may be left out. Its references are right after {@link components}. */
  request(schema: z.ZodType): JsonSchema {
    return this.convert(schema, 'input');
  }

  /** What comes back. */
  reply(schema: z.ZodType): JsonSchema {
    return this.convert(schema, 'output');
  }

  /** The components by name, sorted; sets the references of everything that was converted. */
  components(): Record<string, JsonSchema> {
    const differing = this.differing();
    const nameOf = (id: string, direction: Direction) =>
      direction === 'input' && differing.has(id) ? `${id}Request` : id;
    const all = new Map<string, JsonSchema>();
    for (const direction of ['input', 'output'] as const)
      for (const [id, body] of this.definitions[direction]) {
        const name = nameOf(id, direction);
        all.set(name, renamed(body, other => nameOf(other, direction)) as JsonSchema);
      }
    for (const { direction, schema } of this.used) {
      const named = renamed(schema, id => nameOf(id, direction)) as JsonSchema;
      for (const member of Object.keys(schema)) delete schema[member];
      Object.assign(schema, named);
    }
    return Object.fromEntries([...all].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  private convert(schema: z.ZodType, direction: Direction): JsonSchema {
    const {
      $schema: _dialect,
      definitions = {},
      ...converted
    } = publishedSchema(schema, {
      target: 'draft-7',
      io: direction,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        const json = jsonSchema as JsonSchema;
        if (zodSchema === (Bytes as unknown)) Object.assign(json, BYTES);
        const { def } = zodSchema._zod;
        // An answer may grow members; only what refuses them says so.
        if (direction === 'output' && def.type === 'object' && !('catchall' in def && def.catchall))
          delete json.additionalProperties;
        if (json.example !== undefined) {
          json.examples = [json.example];
          delete json.example;
        }
        delete json.id;
      },
    }) as JsonSchema & { definitions?: Record<string, JsonSchema> };
    for (const [id, { id: _id, ...body }] of Object.entries(definitions))
      this.definitions[direction].set(id, body);
    this.used.push({ direction, schema: converted });
    return converted;
  }

  /** Ids whose schemas differ as they are asked and as they are answered, by themselves or by what they refer to. */
  private differing(): Set<string> {
    const { input, output } = this.definitions;
    const both = [...input.keys()].filter(id => output.has(id));
    const found = new Set(
      both.filter(id => JSON.stringify(input.get(id)) !== JSON.stringify(output.get(id))),
    );
    for (let before = -1; before < found.size;) {
      before = found.size;
      for (const id of both) if (refersTo(input.get(id), found)) found.add(id);
    }
    return found;
  }
}

function refersTo(value: unknown, ids: ReadonlySet<string>): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, member]) =>
    key === '$ref' && typeof member === 'string'
      ? ids.has(member.slice(DEFINITIONS.length))
      : refersTo(member, ids),
  );
}

function renamed(value: unknown, nameOf: (id: string) => string): unknown {
  if (Array.isArray(value)) return value.map(element => renamed(element, nameOf));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) =>
      key === '$ref' && typeof member === 'string' && member.startsWith(DEFINITIONS)
        ? [key, `${COMPONENTS}${nameOf(member.slice(DEFINITIONS.length))}`]
        : [key, renamed(member, nameOf)],
    ),
  );
}

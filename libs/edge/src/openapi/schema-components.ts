import { publishedSchema } from '@svc/contracts';
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';

export type JsonSchema = Record<string, unknown>;

const DEFINITIONS = '#/$defs/';
const COMPONENTS = '#/components/schemas/';

/**
 * Collects the JSON Schemas (draft 2020-12, as OpenAPI 3.1 takes them) of zod schemas. A schema with
 * an `id` becomes a component; others stand where they are used. A request is described by what may
 * be sent (defaults left out), an answer by what comes back.
 */
export class SchemaComponents {
  private readonly components = new Map<string, JsonSchema>();

  request(schema: z.ZodType): JsonSchema {
    return this.convert(schema, 'input');
  }

  reply(schema: z.ZodType): JsonSchema {
    return this.convert(schema, 'output');
  }

  /** The components by name, sorted. */
  all(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  private convert(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const {
      $schema: _dialect,
      $defs,
      ...converted
    } = publishedSchema(schema, {
      target: 'draft-2020-12',
      io,
      unrepresentable: 'throw',
      override: ({ zodSchema, jsonSchema }) => {
        // An answer may grow members; only what refuses them says so.
        const { def } = zodSchema._zod;
        if (io === 'output' && def.type === 'object' && !('catchall' in def && def.catchall)) {
          delete jsonSchema.additionalProperties;
        }
        delete (jsonSchema as JsonSchema).id;
        if ((jsonSchema as JsonSchema).example !== undefined) {
          jsonSchema.examples = [(jsonSchema as JsonSchema).example as never];
          delete (jsonSchema as JsonSchema).example;
        }
      },
    }) as JsonSchema;
    const definitions = Object.entries(($defs ?? {}) as Record<string, JsonSchema>);
    const names = this.namesOf(definitions, io);
    for (const [name, definition] of definitions) {
      const { id: _id, ...body } = definition;
      this.components.set(names.get(name)!, renameRefs(body, names) as JsonSchema);
    }
    return renameRefs(converted, names) as JsonSchema;
  }

  /**
   * Component names of definitions: their ids, unless a schema serves requests and answers and reads
   * differently in the two; then the one of the answer has `Reply` at its end.
   */
  private namesOf(definitions: [string, JsonSchema][], io: 'input' | 'output'): Map<string, string> {
    const plain = new Map(definitions.map(([name]) => [name, name]));
    const names = new Map<string, string>();
    for (const [name, { id: _id, ...body }] of definitions) {
      const known = this.components.get(name);
      const clashes = known !== undefined && !isDeepStrictEqual(known, renameRefs(body, plain));
      if (clashes && io === 'input')
        throw new Error(`requests and answers disagree about the schema ${name}`);
      names.set(name, clashes ? `${name}Reply` : name);
    }
    return names;
  }
}

function renameRefs(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map(element => renameRefs(element, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      if (key !== '$ref' || typeof member !== 'string' || !member.startsWith(DEFINITIONS)) {
        return [key, renameRefs(member, names)];
      }
      const name = member.slice(DEFINITIONS.length);
      return [key, `${COMPONENTS}${names.get(name) ?? name}`];
    }),
  );
}

import { z } from 'zod';

/** What {@link z.toJSONSchema} is told. */
type Settings = NonNullable<Parameters<typeof z.toJSONSchema>[1]>;

/**
 * The JSON Schema of a zod schema as it is published: its patterns mean the same in JavaScript, Python and RE2, since
 * clients in other languages make their validators of them.
 *
 * @param settings as of `z.toJSONSchema`
 */
export function publishedSchema(schema: z.ZodType, settings: Settings): Record<string, unknown> {
  return z.toJSONSchema(schema, {
    ...settings,
    override: context => {
      const { jsonSchema } = context;
      for (const part of [jsonSchema, ...(jsonSchema.allOf ?? [])])
        if (part.pattern !== undefined) part.pattern = commonPattern(part.pattern);
      boundTuple(jsonSchema);
      settings.override?.(context);
    },
  }) as Record<string, unknown>;
}

/**
 * Ends a tuple by its length: makers of clients take `items: false`, which says the same, for no schema.
 */
function boundTuple(schema: {
  prefixItems?: unknown[];
  items?: unknown;
  minItems?: number;
  maxItems?: number;
}): void {
  if (!schema.prefixItems || schema.items !== false) return;
  delete schema.items;
  schema.minItems ??= schema.prefixItems.length;
  schema.maxItems = schema.prefixItems.length;
}

/**
 * A pattern of JavaScript without `\d`, which is any decimal digit of Unicode in Python. zod writes its dates with it.
 *
 * @param pattern in the syntax of ECMA-262
 */
export const commonPattern = (pattern: string): string =>
  pattern.replace(/\[(?:\\.|[^\]\\])*\]|\\./g, part =>
    part.startsWith('[')
      ? part.replace(/\\./g, escape => (escape === String.raw`\d` ? '0-9' : escape))
      : part === String.raw`\d`
        ? '[0-9]'
        : part,
  );

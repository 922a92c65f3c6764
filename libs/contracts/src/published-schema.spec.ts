import { z } from 'zod';
import { commonPattern, publishedSchema } from './published-schema.js';

describe('a published schema', () => {
  it.each([
    [String.raw`^\d{1,9}$`, '^[0-9]{1,9}$'],
    [String.raw`^[12\d]\d$`, '^[120-9][0-9]$'],
    [String.raw`^\\d[\]\d\\d]\.\d$`, String.raw`^\\d[\]0-9\\d]\.[0-9]$`],
    ['^[0-9]$', '^[0-9]$'],
  ])('writes %s as %s', (pattern, common) => {
    expect(commonPattern(pattern)).toBe(common);
  });

  it('has no class of digits in any of several patterns, and what its settings add', () => {
    const schema = z.object({
      day: z.iso.date(),
      code: z.string().regex(/^\d/).regex(/\d\d$/).meta({ id: 'Code' }),
    });
    const settings = {
      override: ({ jsonSchema }: { jsonSchema: object }) => Object.assign(jsonSchema, { x: 1 }),
    };
    const published = JSON.stringify(publishedSchema(schema, settings));
    expect(published).toContain('[0-9]{4}-');
    expect(published).toContain('[0-9][0-9]$');
    expect(published).not.toContain(String.raw`\\d`);
    expect(published).toContain('"x":1');
  });

  it('ends a tuple by its length, and has no schema that is false', () => {
    const pair = z.tuple([z.string(), z.number()]);
    expect(publishedSchema(z.object({ pair }), { io: 'output' })).toMatchObject({
      properties: {
        pair: { prefixItems: [{ type: 'string' }, { type: 'number' }], minItems: 2, maxItems: 2 },
      },
    });
    expect(JSON.stringify(publishedSchema(pair, {}))).not.toContain('"items":false');
    expect(publishedSchema(z.tuple([z.string()], z.number()), {})).not.toHaveProperty('maxItems');
  });
});

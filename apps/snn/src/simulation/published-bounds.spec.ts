import { SnnRequest } from '@svc/contracts';
import { SIMULATION_BOUNDS } from '@svc/spiking';
import { z } from 'zod';

interface Schema {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

const published = z.toJSONSchema(SnnRequest, { io: 'input' }) as Schema;

const resolved = (schema: Schema) =>
  schema.$ref ? published.$defs![schema.$ref.replace('#/$defs/', '')] : schema;

/** Numbers of the request by name, those of its members too: no name is there twice. */
function numbersOf(schema: Schema): [string, Schema][] {
  return Object.entries(resolved(schema).properties ?? {}).flatMap(([name, value]): [string, Schema][] => {
    const member = resolved(value);
    if (member.properties) return numbersOf(member);
    return member.minimum === undefined ? [] : [[name, member]];
  });
}

describe('the bounds of a simulation that are published', () => {
  const numbers = new Map(numbersOf(published));

  it.each(Object.entries(SIMULATION_BOUNDS))('of %s lie within what is simulated', (name, bound) => {
    const { minimum, maximum } = numbers.get(name)!;
    expect(minimum).toBeGreaterThanOrEqual(bound.min);
    expect(maximum).toBeLessThanOrEqual(bound.max);
  });
});

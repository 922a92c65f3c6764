import { expect, it } from '@jest/globals';
import { StarkProveM31Request, StarkProveRequest } from '@svc/contracts';
import { findRawAir, rawAirIds } from '@svc/stark-air';
import { readFileSync } from 'node:fs';

const PAGE = readFileSync(new URL('../../../../docs/proofs.md', import.meta.url), 'utf8');
/** The examples of the page, by AIR: `| id | inputs | … |`. */
const EXAMPLES = new Map(
  [...PAGE.matchAll(/^\| `(raw\/[^`]+)` \| `(\{[^`]+\})` \|/gm)].map(([, id, json]) => [
    id,
    JSON.parse(json),
  ]),
);
const FIELDS = [
  ['goldilocks', StarkProveRequest],
  ['m31', StarkProveM31Request],
] as const;

it.each(FIELDS)(
  'docs/proofs.md and the schema say what every raw AIR over %s starts from',
  (field, request) => {
    expect([...EXAMPLES.keys()].sort()).toEqual(rawAirIds().sort());
    const { description } = request.shape.inputs.meta()!;
    for (const [airId, example] of EXAMPLES) {
      const { inputs } = request.parse({ statement: 'raw', airId, inputs: example });
      const air = findRawAir(airId, field)!;
      expect(() => air.witnessFromJson({ inputs })).not.toThrow();
      for (const name of Object.keys(example)) {
        expect(description).toContain(`\`${name}\``);
        // `rows` alone may be left out.
        const { [name]: _left, ...others } = inputs!;
        const read = () => air.witnessFromJson({ inputs: others });
        if (name === 'rows') expect(read).not.toThrow();
        else expect(read).toThrow(name);
      }
    }
  },
);

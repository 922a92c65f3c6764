import { SeededRandom } from '@svc/kernels/testing';
import {
  type Air,
  DefinitionError,
  evaluatedAirDigest,
  fieldOf,
  ownAir,
  type OwnDefinition,
  readDefinition,
} from '@svc/stark-air';
import { type ProofClaim, type ProofParameters, verify } from '@svc/stark-verifier';
import { laxPolicy } from '@svc/stark-verifier/testing';
import { createWasmBackend } from './node/wasm-backend.js';
import { PROFILES, recurrenceOf } from './own-recurrences.cases.js';
import { prove } from './prove.js';

/** Of each profile: a thousand changes in all, and two hundred that the digest of before does not tell apart. */
const [CHANGES, COLLISIONS] = [334, 67];
const OF_EACH_PROOF = 25;

type Json = {
  columns: string[];
  public: string[];
  periodic: { values: string[] }[];
  nodes: (string | number)[][];
  constraints: { name: string; node: number }[];
  boundary: { column: string; row: number | 'last'; value: [string, string] }[];
};

/** Changes one member of a definition, wherever it may. */
function changed(text: string, random: SeededRandom): string {
  const json = JSON.parse(text) as Json;
  const whole = (below: number) => Math.floor(random.uniform(0, below));
  const { columns, nodes, constraints, boundary } = json;
  const node = random.pick(nodes);
  const changes: readonly (() => void)[] = [
    () => {
      if (node.length === 3) node[0] = random.pick(['add', 'sub', 'mul']);
      else if (node[0] === 'cur' || node[0] === 'next') node[0] = random.pick(['cur', 'next']);
    },
    () => {
      const at = nodes.indexOf(node);
      if (node.length === 3) node[1 + whole(2)] = whole(at);
      else if (node[0] === 'const') node[1] = String(whole(2 ** 30));
      else if (node[0] === 'cur' || node[0] === 'next') node[1] = random.pick(columns);
    },
    () => (random.pick(constraints).node = whole(nodes.length)),
    () => constraints.push(...constraints.splice(whole(constraints.length), 1)),
    () => (random.pick(constraints).name += '_'),
    () => (random.pick(json.periodic).values[0] = String(whole(2 ** 30))),
    () => (random.pick(boundary).row = random.pick([0, 1, 'last'] as const)),
    () => (random.pick(boundary).column = random.pick(columns)),
    () => (random.pick(boundary).value = ['const', String(whole(2 ** 30))]),
    () => json.public.push(...json.public.splice(whole(json.public.length), 1)),
  ];
  random.pick(changes)();
  return JSON.stringify(json);
}

/** As statements of ours were bound before: by an id that says nothing, and by what the constraints come to at one point. */
function evaluated(definition: OwnDefinition, known: Record<string, bigint>): Air {
  const { definitionDigest: _bound, ...air } = ownAir(definition, known) as Air;
  return { ...air, id: 'own/x/v1' };
}

/** Adds a·x − a·x(z) to a constraint, z being the point at which that digest looks: it comes to the same there, and is another one. */
function colliding(text: string, known: Record<string, bigint>, random: SeededRandom): string {
  const definition = readDefinition(text);
  const air = evaluated(definition, known);
  let looked: readonly bigint[] = [];
  evaluatedAirDigest({
    ...air,
    evaluateTransition: (over, { current }) => {
      looked = current as unknown as bigint[];
      return air.transitionNames.map(() => over.zero);
    },
  });
  const json = JSON.parse(text) as Json;
  const { nodes, constraints, columns } = json;
  const field = fieldOf(definition);
  const column = Math.floor(random.uniform(0, columns.length));
  const factor = 2n + BigInt(Math.floor(random.uniform(0, 2 ** 30)));
  const back = field.sub(0n, field.mul(factor, looked[column]));
  /** The place of a node, which stands once. */
  const placeOf = (node: (string | number)[]): number => {
    const at = nodes.findIndex(each => JSON.stringify(each) === JSON.stringify(node));
    return at >= 0 ? at : nodes.push(node) - 1;
  };
  const product = placeOf(['mul', placeOf(['cur', columns[column]]), placeOf(['const', String(factor)])]);
  const zero = placeOf(['add', product, placeOf(['const', String(back)])]);
  const constraint = random.pick(constraints);
  constraint.node = placeOf(['add', constraint.node, zero]);
  return JSON.stringify(json);
}

// Definitions that were changed after a proof was made, each to another one that is read: none is taken with that proof.
const backend = createWasmBackend({ threads: 1 });
afterAll(() => backend.close());

describe.each(PROFILES)('a proof under a definition over %s', profile => {
  const parameters: ProofParameters = {
    ...{ profile, traceLength: 64, blowupFactor: 8, queryCount: 3, grindingBits: 1, zeroKnowledge: false },
  };
  const reasons = new Map<string, number>();
  const proved = async (seed: number) => {
    const { json, rows, k, start } = recurrenceOf(seed, profile);
    const air = ownAir(readDefinition(json), { k }) as Air;
    const named = Object.fromEntries(start.map((value, c) => [`c${c}`, value]));
    const witness = { rows, start: named, publicInputs: { k } };
    const { proof, publicInputs } = await prove({ air, witness, parameters, backend });
    const claim = { proof, airId: air.id, air: json, publicInputs: air.publicInputsToJson(publicInputs) };
    expect(verify(claim, laxPolicy(parameters)).valid).toBe(true);
    return { json, k, claim };
  };
  const expectRefused = (claim: ProofClaim, text: string) => {
    const other = readDefinition(text);
    if (other.id === claim.airId) return false;
    const verdict = verify({ ...claim, air: text, airId: other.id }, laxPolicy(parameters));
    expect([text, verdict.valid]).toEqual([text, false]);
    if (!verdict.valid) reasons.set(verdict.reason, (reasons.get(verdict.reason) ?? 0) + 1);
    return true;
  };

  it(`is of no other that differs in one member: ${CHANGES} of them`, async () => {
    for (let seed = 0, done = 0; done < CHANGES; seed++) {
      const { json, claim } = await proved(seed);
      const random = new SeededRandom(1_000 + seed);
      for (let i = 0; i < OF_EACH_PROOF && done < CHANGES;) {
        const text = changed(json, random);
        let isOther: boolean;
        try {
          isOther = expectRefused(claim, text);
        } catch (error) {
          // No definition: what its author could not have proved either.
          if (error instanceof DefinitionError) continue;
          throw error;
        }
        if (isOther) [i, done] = [i + 1, done + 1];
      }
    }
  });

  it(`is of none whose constants were solved to agree where the digest of before looked: ${COLLISIONS} of them`, async () => {
    for (let seed = 0, done = 0; done < COLLISIONS; seed++) {
      const { json, k, claim } = await proved(seed);
      const random = new SeededRandom(2_000 + seed);
      const before = evaluatedAirDigest(evaluated(readDefinition(json), { k }));
      for (let i = 0; i < OF_EACH_PROOF && done < COLLISIONS; i++, done++) {
        const text = colliding(json, { k }, random);
        expect(evaluatedAirDigest(evaluated(readDefinition(text), { k }))).toEqual(before);
        expect(expectRefused(claim, text)).toBe(true);
      }
    }
    expect([...reasons.keys()]).toContain('constraints-unsatisfied');
  });
});

import { SeededRandom } from '@svc/kernels/testing';
import { type Air, fieldOf, ownAir, readDefinition, statement, type Term } from '@svc/stark-air';
import { type ProfileName, profileOf, type ProofParameters, verify } from '@svc/stark-verifier';
import { laxPolicy } from '@svc/stark-verifier/testing';
import { expectSameProofs } from '../testing/same-proofs.js';
import { createWasmBackend } from './node/wasm-backend.js';
import { prove } from './prove.js';

export const PROFILES: readonly ProfileName[] = ['gl3', 'gl2', 'm31'];

/** A column's next value as a rule of its own, beside the term that the definition has for it. */
interface Step {
  readonly term: Term;
  readonly value: (row: readonly bigint[], at: number) => bigint;
}

/** A recurrence of one to five columns of degree up to 3, with a cycle and a public input, drawn by its seed. */
export function recurrenceOf(seed: number, profile: ProfileName) {
  const random = new SeededRandom(seed);
  const whole = (below: number) => Math.floor(random.uniform(0, below));
  const { name } = profileOf(profile).base;
  const s = statement(name);
  const field = fieldOf({ field: name });
  const columns = Array.from({ length: 1 + whole(5) }, (_, i) => s.column(`c${i}`));
  const cycle = Array.from({ length: 2 ** (1 + whole(4)) }, () => BigInt(whole(1_000)));
  const [turns, k] = [s.cycle('turn', cycle), BigInt(whole(2 ** 30))];
  const [shown, fixed] = [s.public('k'), BigInt(2 + whole(97))];
  const leaves: readonly Step[] = [
    ...columns.map((term, c): Step => ({ term, value: row => row[c] })),
    { term: turns, value: (_row, at) => cycle[at % cycle.length] },
    { term: shown, value: () => k },
    { term: s.constant(fixed), value: () => fixed },
  ];
  const product = (): Step => {
    const factors = Array.from({ length: 1 + whole(3) }, () => random.pick(leaves));
    return factors.reduce((one, other) => ({
      term: one.term.mul(other.term),
      value: (row, at) => field.mul(one.value(row, at), other.value(row, at)),
    }));
  };
  const steps = columns.map((): Step => {
    const parts = Array.from({ length: 1 + whole(4) }, product);
    return parts.reduce((one, other) => {
      const op = random.chance(0.5) ? 'add' : 'sub';
      return {
        term: one.term[op](other.term),
        value: (row, at) => field[op](one.value(row, at), other.value(row, at)),
      };
    });
  });
  // Every name is bound, whatever was drawn.
  const first: Step = {
    term: steps[0].term.add(shown).add(turns),
    value: (row, at) => field.add(field.add(steps[0].value(row, at), k), cycle[at % cycle.length]),
  };
  const rules = [first, ...steps.slice(1)];
  columns.forEach((column, c) => s.require(`step_${c}`, column.next.sub(rules[c].term)));
  columns.forEach((column, c) => s.last(column, s.public(`end_${c}`)));
  const start = columns.map(() => BigInt(whole(2 ** 30)));
  const rows = 2 + whole(61);
  let row: readonly bigint[] = start;
  for (let at = 0; at < rows - 1; at++) row = rules.map(rule => rule.value(row, at));
  return { json: s.json(), rows, k, start, end: row };
}

/**
 * Random recurrences: what their rules come to, what the reference prover and the kernels prove, byte for byte, and what the verifier takes, are one.
 * @param count of each profile
 */
export function describeOwnRecurrences(count: number): void {
  const backend = createWasmBackend({ threads: 1 });
  afterAll(() => backend.close());

  it.each(PROFILES)(
    `of ${count} recurrences that were drawn are proved by the kernels as by the reference, over %s`,
    async profile => {
      const parameters: ProofParameters = {
        ...{
          profile,
          traceLength: 64,
          blowupFactor: 8,
          queryCount: 3,
          grindingBits: 1,
          zeroKnowledge: false,
        },
      };
      for (let seed = 0; seed < count; seed++) {
        const { json, rows, k, start, end } = recurrenceOf(seed, profile);
        const air = ownAir(readDefinition(json), { k }) as Air;
        const named = Object.fromEntries(start.map((value, c) => [`c${c}`, value]));
        const witness = { rows, start: named, publicInputs: { k } };
        await expectSameProofs(air, witness, parameters, backend);
        const { proof, publicInputs } = await prove({ air, witness, parameters, backend });
        const values = Object.fromEntries(end.map((value, c) => [`end_${c}`, value]));
        expect([seed, publicInputs]).toEqual([seed, { rows, values: { k, ...values } }]);
        const claim = { proof, airId: air.id, air: json, publicInputs: air.publicInputsToJson(publicInputs) };
        expect([seed, verify(claim, laxPolicy(parameters)).valid]).toEqual([seed, true]);
      }
    },
  );
}

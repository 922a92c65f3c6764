import { jest } from '@jest/globals';
import type { BaseField, Ext } from '@svc/kernels';
import {
  type Air,
  evaluatedAirDigest,
  fieldOf,
  ownAir,
  type OwnDefinition,
  readDefinition,
  statement,
  type Term,
} from '@svc/stark-air';
import {
  type ConstraintCheck,
  type OutOfDomainValues,
  type ProfileName,
  proofGeometry,
  type ProofParameters,
  profileOf,
  referenceVerifierBackend,
  startTranscript,
  verify,
} from '@svc/stark-verifier';
import { laxPolicy } from '@svc/stark-verifier/testing';
import type { ProverBackend } from './backend.js';
import { createWasmBackend } from './node/wasm-backend.js';
import { prove } from './prove.js';

/** A column goes to k0 + k1·x + k2·x² + k3·y + k4·x·y, of which as many terms are taken as there are constants. */
function stepping(field: 'goldilocks' | 'm31', constants: readonly bigint[]): OwnDefinition {
  const s = statement(field);
  const [x, y] = [s.column('x'), s.column('y')];
  const terms = [undefined, x, x.mul(x), y, x.mul(y)].slice(0, constants.length);
  const value = terms
    .map((term, i): Term => (term ? term.mul(s.constant(constants[i])) : s.constant(constants[i])))
    .reduce((sum, term) => sum.add(term));
  s.require('step', x.next.sub(value));
  s.require('hold', y.next.sub(y));
  s.first(x, s.public('start'));
  s.last(x, s.public('end'));
  return readDefinition(s.json());
}

/** The constants that make all of some linear residuals zero, by what each constant adds to them. */
function solved(
  residual: (constants: readonly bigint[]) => readonly bigint[],
  start: readonly bigint[],
  field: BaseField,
): bigint[] {
  const base = residual(start);
  const rows = base.map(value => [field.sub(0n, value)]);
  start.forEach((_, i) => {
    const moved = residual(start.map((value, j) => (i === j ? value + 1n : value)));
    moved.forEach((value, row) => rows[row].splice(i, 0, field.sub(value, base[row])));
  });
  for (let column = 0; column < start.length; column++) {
    const pivot = rows.findIndex((row, at) => at >= column && row[column] !== 0n);
    [rows[column], rows[pivot]] = [rows[pivot], rows[column]];
    const scale = field.inverse(rows[column][column]);
    rows[column] = rows[column].map(value => field.mul(value, scale));
    rows.forEach((row, at) => {
      if (at === column) return;
      const factor = row[column];
      rows[at] = row.map((value, i) => field.sub(value, field.mul(factor, rows[column][i])));
    });
  }
  return start.map((value, i) => field.add(value, rows[i][start.length]));
}

const ROWS = 40;
const backend = createWasmBackend({ threads: 1 });
afterAll(() => backend.close());

describe.each<[ProfileName, 'goldilocks' | 'm31', number]>([
  ['gl3', 'goldilocks', 4],
  ['gl2', 'goldilocks', 3],
  ['m31', 'm31', 5],
])('constants that an author picks after the challenges, over %s', (profile, name, count) => {
  const before = [5n, 7n, 11n, 13n, 17n].slice(0, count);
  const definition = stepping(name, before);
  const field = fieldOf(definition);
  const parameters = (formatVersion: 2 | 3): ProofParameters => ({
    ...{ profile, traceLength: 64, blowupFactor: 8, queryCount: 8, grindingBits: 2, zeroKnowledge: false },
    ...(formatVersion === 2 && { formatVersion }),
  });
  /** As statements of ours are bound: by an id and by what the constraints come to. */
  const evaluated = (constants: readonly bigint[]): Air => {
    const { definitionDigest: _bound, ...air } = ownAir(stepping(name, constants), {}) as Air;
    return { ...air, id: 'own/x/v1' };
  };

  /** Proves rows that keep nothing, and tells what the verifier will ask of the constraints. */
  async function forgery(air: Air, formatVersion: 2 | 3) {
    const asked: {
      alpha?: Ext;
      point?: ConstraintCheck['point'];
      values?: OutOfDomainValues;
      overflow?: readonly Ext[];
    } = {};
    const listening: ProverBackend = {
      name: 'listening',
      async begin(input) {
        const session = await backend.begin(input);
        const { commitComposition, evaluateOutOfDomain } = session;
        return Object.assign(session, {
          commitComposition: async (inputs: never, alpha: Ext) => {
            const made = await commitComposition.call(session, inputs, alpha);
            Object.assign(asked, { alpha, overflow: made.overflow });
            return made;
          },
          evaluateOutOfDomain: async (point: ConstraintCheck['point']) => {
            const values = await evaluateOutOfDomain.call(session, point);
            Object.assign(asked, { point, values });
            return values;
          },
        });
      },
    };
    const columns = [1n, 2n].map(factor =>
      BigUint64Array.from({ length: 64 }, (_, row) => factor * BigInt(row * row) + 7n),
    );
    columns[0][ROWS - 1] = 4_242n;
    const witness = { columns, rows: ROWS, publicInputs: { start: 7n, end: 4_242n } };
    const proved = await prove({ air, witness, parameters: parameters(formatVersion), backend: listening });
    const claim = { proof: proved.proof, publicInputs: air.publicInputsToJson(proved.publicInputs) };
    const geometry = proofGeometry(parameters(formatVersion), air);
    const boundary = air.boundaryConstraints(proved.publicInputs, geometry.rowCount);
    /** What the identity at the point lacks under other constraints, in coordinates, and whether the verifier takes them. */
    const check = (other: Air) => {
      const { extension } = profileOf(profile);
      const equals = jest.spyOn(extension, 'equals');
      const isTaken = geometry.profile.satisfiesConstraints(
        { ...(asked as ConstraintCheck), air: other, boundary, geometry },
        referenceVerifierBackend,
      );
      const [one, two] = equals.mock.calls.at(-1) as [Ext, Ext];
      equals.mockRestore();
      return { isTaken, lacks: extension.sub(one, two) };
    };
    return { claim, check, publicInputs: proved.publicInputs };
  }

  it('would pass as the same statement where constraints are bound by one evaluation, and keep not one row', async () => {
    const air = evaluated(before);
    const { check, publicInputs } = await forgery(air, 2);
    expect(check(air).isTaken).toBe(false);
    // Where the digest looks follows from the shape: the step there is linear in the constants.
    const frame: { current: bigint[]; next: bigint[]; periodic: bigint[] } = {
      current: [],
      next: [],
      periodic: [],
    };
    evaluatedAirDigest({
      ...air,
      evaluateTransition: (over, seen) => (Object.assign(frame, seen), [over.zero, over.zero]),
    });
    const digested = (constants: readonly bigint[]) =>
      evaluated(constants).evaluateTransition(field, frame)[0];
    const wanted = digested(before);
    const after = solved(
      constants => [...check(evaluated(constants)).lacks, field.sub(digested(constants), wanted)],
      before,
      field,
    );
    const forged = evaluated(after);
    expect(after).not.toEqual(before);
    expect(check(forged).isTaken).toBe(true);
    const transcriptOf = (one: Air) => startTranscript(one, publicInputs, parameters(2), '').digest();
    // Statement, commitments, identity: the verifier has nothing else that knows of the constraints.
    expect(transcriptOf(forged)).toEqual(transcriptOf(air));
    const keeps = [...Array(ROWS - 1).keys()].filter(row => {
      const at = (r: number) => [BigInt(r * r) + 7n, 2n * BigInt(r * r) + 7n];
      const [values] = [
        forged.evaluateTransition(field, { current: at(row), next: at(row + 1), periodic: [] }),
      ];
      return values[0] === 0n;
    });
    expect(keeps).toEqual([]);
  });

  it('are of another statement where the definition is hashed before any challenge', async () => {
    const { claim, check } = await forgery(ownAir(definition, {}) as Air, 3);
    const after = solved(
      constants => [...check(ownAir(stepping(name, constants), {}) as Air).lacks, 0n].slice(0, count - 1),
      before.slice(0, count - 1),
      field,
    );
    const forged = stepping(name, after);
    expect(check(ownAir(forged, {}) as Air).isTaken).toBe(true);
    const policy = laxPolicy(parameters(3));
    for (const air of [forged, definition])
      expect(verify({ ...claim, airId: air.id, air: air.canonical }, policy)).toMatchObject({
        valid: false,
        reason: 'constraints-unsatisfied',
      });
    // The id of the old binding leads nowhere, whatever comes beside it.
    for (const air of [undefined, forged.canonical])
      expect(verify({ ...claim, airId: 'own/x/v1', ...(air && { air }) }, policy)).toMatchObject({
        valid: false,
        reason: 'unknown-air',
      });
  });
});

import { readFileSync } from 'node:fs';
import { type NamedProof, namesProof, proofPathOf, verifyNamedProof, withNamedProof } from './named-proof.js';
import { verifyBought } from './verify-bought.js';
import { verifyOpening } from './verify-opening.js';

type JsonObject = Record<string, unknown>;
interface Recorded {
  readonly name: string;
  readonly path: '/v1/stark/prove-goldilocks';
  readonly request: JsonObject;
  readonly answer: JsonObject;
}

const file = new URL('../../testing/fixtures/statements.json', import.meta.url);
const STATEMENTS = JSON.parse(readFileSync(file, 'utf8')) as Recorded[];
const statement = (name: string) => STATEMENTS.find(recorded => recorded.name === name)!;
const binding = statement('binding');

/** What a tool answers of a proof, and the proof as it is stored. */
function asTool({ answer }: Recorded): { answer: JsonObject; named: NamedProof } {
  const { proofId, airId, starkRootCommitment, opening, publicInputs, contextDomain, proof } = answer;
  const stored = { proofId, airId, publicInputs, contextDomain, proof };
  return {
    answer: { verified: true, proofId, airId, starkRootCommitment, opening },
    named: stored as unknown as NamedProof,
  };
}

describe('the proof that an answer names', () => {
  const { answer, named } = asTool(binding);

  test('is verified with what the answer states of it, or without', () => {
    expect(namesProof(answer)).toBe(true);
    expect(namesProof(withNamedProof(answer, named))).toBe(false);
    expect(verifyNamedProof(answer, named)).toMatchObject({ valid: true, airId: 'binding/v2' });
    const { publicInputs, contextDomain } = named;
    expect(verifyNamedProof({ ...answer, publicInputs, contextDomain }, named)).toMatchObject({
      valid: true,
    });
  });

  test('is refused where it is another, of something else, changed or revoked', () => {
    const other = asTool(statement('counter'));
    const publicInputs = { ...named.publicInputs, publicInputs: ['0x2b'] };
    const changed = `${named.proof.slice(0, 3_000)}${named.proof[3_000] === 'A' ? 'B' : 'A'}${named.proof.slice(3_001)}`;
    const root = `0x${'0'.repeat(64)}`;
    const verdicts: [JsonObject, NamedProof, string | undefined][] = [
      [answer, other.named, undefined],
      [{ ...answer, publicInputs }, named, undefined],
      [{ ...answer, contextDomain: 'other' }, named, undefined],
      [answer, { ...named, proof: changed }, undefined],
      [{ ...answer, starkRootCommitment: root }, named, 'proof-mismatch'],
      [answer, { ...named, revokedAt: '2026-04-02T00:00:00.000Z' }, 'revoked'],
    ];
    for (const [claimed, proof, reason] of verdicts)
      expect(verifyNamedProof(claimed, proof)).toMatchObject({ valid: false, ...(reason && { reason }) });
  });

  test('of the tools is held against what they were asked for: rows, rate and box follow from the request', () => {
    // The recorded proof has another rate than the tool proves with.
    const bought = withNamedProof(answer, named);
    const { publicInputs, privateWitness, contextDomain } = binding.request;
    const request = { publicInputs, privateWitness, contextDomain };
    const path = proofPathOf(bought)!;
    expect(path).toBe('/v1/tools/generate_goldilocks_stark_proof');
    expect(verifyBought({ path, request, answer: bought })).toMatchObject({
      reason: expect.stringMatching(/trace-length-mismatch|statement-mismatch/),
    });
    expect(
      verifyBought({ path, request: { ...request, publicInputs: ['43'] }, answer: bought }),
    ).toMatchObject({
      reason: 'statement-mismatch',
      detail: expect.stringContaining('publicInputs.publicInputs: ["0x2b"] was asked for'),
    });
  });

  test('of an answer that was bought whole is the one that the answer names', () => {
    const { path, request } = binding;
    expect(verifyBought({ path, request, answer: binding.answer })).toMatchObject({ valid: true });
    for (const name of ['starkRootCommitment', 'proofRootHash']) {
      const lying = { ...binding.answer, [name]: `0x${'0'.repeat(64)}` };
      expect(verifyBought({ path, request, answer: lying })).toMatchObject({
        reason: 'proof-mismatch',
        detail: expect.stringContaining(name),
      });
    }
  });
});

describe('verifyOpening', () => {
  const opened = (
    { answer, request }: Recorded,
    changes: { answer?: JsonObject; request?: JsonObject } = {},
  ) =>
    verifyOpening(
      { ...answer, ...changes.answer },
      { ...request, ...changes.request },
      answer['publicInputs'],
    );
  const other = { salt: `0x${'11'.repeat(24)}` };

  test.each(['binding', 'binding-m31'])('of %s opens its commitment, and no other does', name => {
    const recorded = statement(name);
    expect(opened(recorded)).toEqual({ state: 'opens' });
    expect(opened(recorded, { answer: { opening: other } })).toMatchObject({ state: 'differs' });
    expect(opened(recorded, { answer: { opening: { salt: '0x12' } } })).toMatchObject({ state: 'differs' });
    expect(opened(recorded, { request: { privateWitness: ['8'] } })).toMatchObject({ state: 'differs' });
    expect(opened(recorded, { request: { publicInputs: ['43'] } })).toMatchObject({ state: 'differs' });
  });

  test('of the tool, whose answer is by its AIR alone, opens the same commitment', () => {
    const { answer } = asTool(binding);
    const { statement: _statement, friBlowup: _blowup, ...request } = binding.request;
    expect(verifyOpening(answer, request, binding.answer['publicInputs'])).toEqual({ state: 'opens' });
  });

  test('is not checked, and says why, where what is private is not at hand', () => {
    const { privateWitness: _hidden, ...shown } = binding.request;
    const { answer } = binding;
    expect(verifyOpening(answer, shown, answer['publicInputs'])).toEqual({
      state: 'not-checked',
      detail: 'it takes privateWitness in the request',
    });
    expect(verifyOpening(answer, undefined, answer['publicInputs'])).toMatchObject({ state: 'not-checked' });
    const { opening: _opening, ...closed } = answer;
    expect(verifyOpening(closed, binding.request, answer['publicInputs'])).toBeUndefined();
    expect(opened(statement('counter'))).toBeUndefined();
  });
});

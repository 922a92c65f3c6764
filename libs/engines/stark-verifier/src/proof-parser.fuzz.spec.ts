import fc from 'fast-check';
import { PROFILE_FACTS } from './profile-facts.js';
import { claimOf, laxPolicy, type ProofVector, proofVectors } from './testing/node/proof-vectors.js';
import { loadWasmVerifierBackend } from './node/index.js';
import { verify } from './verify.js';

const CASES = process.env.SUITE_TIER === 'long' ? 200_000 : 2_000;
/** As many for each kind of domain, which has its own elements, points and openings, divided over its proofs. */
const casesOf = ({ parameters: { profile } }: ProofVector) => {
  const { domain } = PROFILE_FACTS[profile];
  const alike = proofVectors.filter(({ parameters }) => PROFILE_FACTS[parameters.profile].domain === domain);
  return Math.ceil(CASES / alike.length);
};
const backend = await loadWasmVerifierBackend();

/** Bytes that are mostly a proof: a prefix of it, spans of it overwritten, removed, doubled or moved, and noise. */
type Damage =
  | { readonly kind: 'noise'; readonly kept: number; readonly bytes: Uint8Array }
  | { readonly kind: 'overwrite' | 'insert'; readonly at: number; readonly bytes: Uint8Array }
  | { readonly kind: 'remove' | 'double'; readonly at: number; readonly count: number }
  | { readonly kind: 'move'; readonly at: number; readonly count: number; readonly to: number };

function damages(length: number): fc.Arbitrary<Damage> {
  const at = fc.nat(length - 1);
  const count = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constantFrom(8, 16, 24, 32, 64, 128, 192));
  const bytes = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 64 }),
    fc.constantFrom(...[1, 4, 8, 32].map(size => new Uint8Array(size).fill(255))),
    fc.constantFrom(...[1, 8, 32].map(size => new Uint8Array(size))),
  );
  return fc.oneof(
    fc.record({
      kind: fc.constant('noise' as const),
      kept: fc.nat(length),
      bytes: fc.uint8Array({ maxLength: 2000 }),
    }),
    fc.record({ kind: fc.constantFrom('overwrite' as const, 'insert' as const), at, bytes }),
    fc.record({ kind: fc.constantFrom('remove' as const, 'double' as const), at, count }),
    fc.record({ kind: fc.constant('move' as const), at, count, to: at }),
  );
}

function applyDamage(proof: Uint8Array, damage: Damage): Uint8Array {
  if (damage.kind === 'noise') return join(proof.subarray(0, damage.kept), damage.bytes);
  const { at } = damage;
  switch (damage.kind) {
    case 'overwrite':
      return join(proof.subarray(0, at), damage.bytes, proof.subarray(at + damage.bytes.length));
    case 'insert':
      return join(proof.subarray(0, at), damage.bytes, proof.subarray(at));
    case 'remove':
      return join(proof.subarray(0, at), proof.subarray(at + damage.count));
    case 'double':
      return join(proof.subarray(0, at + damage.count), proof.subarray(at));
    case 'move': {
      const span = proof.subarray(at, at + damage.count);
      const rest = join(proof.subarray(0, at), proof.subarray(at + damage.count));
      return join(rest.subarray(0, damage.to), span, rest.subarray(damage.to));
    }
  }
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

it.each(proofVectors.map(vector => [casesOf(vector), vector.airId, vector.name, vector] as const))(
  'gives a verdict on %i damaged proofs of %s (%s), and accepts none but the proof itself',
  (numRuns, _airId, _name, vector) => {
    const claim = claimOf(vector);
    const policy = laxPolicy(vector.parameters);
    fc.assert(
      fc.property(damages(claim.proof.length), damage => {
        const proof = applyDamage(claim.proof, damage);
        const isSame = Buffer.compare(proof, claim.proof) === 0;
        expect(verify({ ...claim, proof }, policy, backend).valid).toBe(isSame);
      }),
      { numRuns, seed: 2026 },
    );
  },
);

it('gives a verdict on bytes of any kind', () => {
  const claim = claimOf(proofVectors[0]);
  const policy = laxPolicy(proofVectors[0].parameters);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 6000 }), proof => {
      expect(verify({ ...claim, proof }, policy).valid).toBe(false);
    }),
  );
});

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import {
  claimOf,
  laxPolicy,
  type ProofVector,
  proofVectors,
  version2ProofVectors,
} from './testing/node/proof-vectors.js';
import { BLOWUP_FACTORS, PARAMETER_SETS, parametersOf } from './parameters.js';
import { encodeHeader } from './proof-header.js';
import { PROFILE_FACTS } from './profile-facts.js';
import { securityOf } from './security.js';
import { proofRootHash, SECURITY_BITS_MIN_DEFAULT, verify } from './verify.js';

it.each([...proofVectors, ...version2ProofVectors])(
  'accepts a proof of version $parameters.formatVersion of $airId ($name), with its figures and the root of its trace',
  vector => {
    const verdict = verify(claimOf(vector), laxPolicy(vector.parameters));
    expect(verdict).toMatchObject({
      valid: true,
      airId: vector.airId,
      parameterSet: 'test-0',
      ...vector.parameters,
    });
    expect(verdict.valid && `0x${Buffer.from(verdict.traceRoot).toString('hex')}`).toBe(
      vector.starkRootCommitment,
    );
  },
);

it.each(version2ProofVectors)('takes no proof of version 2 for one of another version ($name)', vector => {
  const claim = claimOf(vector);
  for (const version of [1, 3, 4, 258]) {
    const proof = claim.proof.slice();
    new DataView(proof.buffer).setUint16(8, version, true);
    const { valid, ...verdict } = verify({ ...claim, proof }, laxPolicy(vector.parameters));
    expect({ version, valid }).toEqual({ version, valid: false });
    if (version !== 3) expect(verdict).toMatchObject({ reason: 'unsupported-version' });
  }
});

describe('whatever is claimed', () => {
  const [vector] = proofVectors;
  const claim = claimOf(vector);
  const policy = laxPolicy(vector.parameters);

  it('public inputs, AIR id and context domain of any kind give a verdict, never an exception', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.string(),
        fc.string({ unit: 'binary' }),
        (publicInputs, airId, contextDomain) => {
          expect(verify({ ...claim, publicInputs }, policy).valid).toBe(false);
          expect(verify({ ...claim, airId }, policy)).toMatchObject({ reason: 'unknown-air' });
          if (contextDomain !== vector.contextDomain) {
            expect(verify({ ...claim, contextDomain }, policy).valid).toBe(false);
          }
        },
      ),
    );
  });

  it('a view into a larger buffer is read as a buffer of its own', () => {
    const buffer = new Uint8Array(claim.proof.length + 11);
    buffer.set(claim.proof, 5);
    const proof = buffer.subarray(5, 5 + claim.proof.length);
    expect(verify({ ...claim, proof }, policy).valid).toBe(true);
  });
});

it('names a proof by the plain BLAKE3 of its bytes', () => {
  // The official vector of three bytes 0, 1, 2.
  const expected = '0xe1be4d7a8ab5560aa4199eea339849ba8e293d55ca0a81006726d184519e647f';
  expect(proofRootHash(Uint8Array.of(0, 1, 2))).toBe(expected);
});

it.each([
  ['m31-fast', 'm31', 60],
  ['conjectured96', 'gl3', 56],
] as const)(
  'asks for 80 proven bits unless told otherwise: the set %s over %s proves %i',
  (id, profile, bits) => {
    const vector = proofVectors.find(({ parameters }) => parameters.profile === profile) as ProofVector;
    const header = encodeHeader(parametersOf(PARAMETER_SETS[id], 4_096, 8));
    // Long enough to be looked at; what it holds does not matter, since the policy comes first.
    const proof = Uint8Array.from([...header, ...new Uint8Array(100_000)]);
    const claim = { ...claimOf(vector), proof };
    expect(verify(claim)).toMatchObject({ reason: 'insufficient-security' });
    expect(verify(claim, { securityBitsMin: bits })).not.toMatchObject({ reason: 'insufficient-security' });
  },
);

it.each(['securityBits', 'conjecturedSecurityBits'] as const)(
  'takes a proof at exactly the %s that are asked for, and no proof of one bit less',
  figure => {
    for (const vector of proofVectors) {
      const [claim, policy] = [claimOf(vector), laxPolicy(vector.parameters)];
      const bits = verify(claim, policy)[figure];
      expect(bits).toBeGreaterThan(0);
      expect(verify(claim, { ...policy, [`${figure}Min`]: bits })).toMatchObject({
        valid: true,
        [figure]: bits,
      });
      expect(verify(claim, { ...policy, [`${figure}Min`]: bits + 1 })).toMatchObject({
        valid: false,
        reason: 'insufficient-security',
      });
    }
  },
);

it('offers the parameter sets that the format document lists', () => {
  const document = readFileSync(new URL('../../../../docs/stark-format.md', import.meta.url), 'utf8');
  for (const { id, profile, grindingBits, queryCounts } of Object.values(PARAMETER_SETS)) {
    const counts = BLOWUP_FACTORS.map(factor => queryCounts[factor] ?? '–').join(', ');
    const cells = [id, PROFILE_FACTS[profile].code, grindingBits, counts].join(' | ');
    expect(document.replace(/ +/g, ' ')).toContain(`| ${cells} |`);
  }
});

it('proves the bits that docs/proofs.md lists, set by set, and takes by default those it says', () => {
  const page = readFileSync(new URL('../../../../docs/proofs.md', import.meta.url), 'utf8');
  const statement = { columnCount: 25, chunkCount: 2, constraintCount: 47, constraintDegree: 3 };
  for (const set of Object.values(PARAMETER_SETS)) {
    const figures = securityOf({ ...parametersOf(set, 2 ** 16, 8), ...statement });
    const { securityBits, conjecturedSecurityBits } = figures;
    const isTaken = securityBits >= SECURITY_BITS_MIN_DEFAULT ? 'yes' : 'no';
    const row = page.split('\n').find(line => line.includes(`| \`${set.id}\``))!;
    expect(row).toMatch(new RegExp(`\\| ${securityBits} \\| ${conjecturedSecurityBits} \\| ${isTaken} \\|$`));
  }
  expect(page).toContain(`Verifiers ask for ${SECURITY_BITS_MIN_DEFAULT} proven bits`);
});

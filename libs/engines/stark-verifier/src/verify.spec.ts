import { readFileSync } from 'node:fs';
import { GOLDILOCKS_MODULUS as P } from '@svc/kernels';
import { type Air, findAir } from '@svc/stark-air';
import fc from 'fast-check';
import { loadWasmVerifierBackend } from './node/index.js';
import type { ParameterSet, ProofParameters } from './parameters.js';
import { capBytes, type ProofGeometry, proofGeometry } from './proof-geometry.js';
import { encodeHeader, HEADER_BYTES } from './proof-header.js';
import { referenceVerifierBackend } from './reference-backend.js';
import { type ProofClaim, proofRootHash, verify, type VerifierPolicy } from './verify.js';

interface ProofVector {
  airId: string;
  contextDomain: string;
  parameters: ProofParameters;
  publicInputs: Record<string, unknown>;
  starkRootCommitment: string;
  proof: string;
}
const vectorsFile = new URL('./proof.vectors.json', import.meta.url);
const { proofs } = JSON.parse(readFileSync(vectorsFile, 'utf8')) as { proofs: ProofVector[] };

function setOf({ blowupFactor, queryCount, grindingBits }: ProofParameters, id = 'test'): ParameterSet {
  return { id, grindingBits, queryCounts: { [blowupFactor]: queryCount } };
}

const lax = (...accepted: ProofParameters[]): VerifierPolicy => ({
  parameterSets: accepted.map((parameters, i) => setOf(parameters, `test-${i}`)),
  securityBitsMin: 0,
});

function claimOf({ airId, contextDomain, publicInputs, proof }: ProofVector): ProofClaim {
  return { airId, contextDomain, publicInputs, proof: Uint8Array.from(Buffer.from(proof, 'base64')) };
}

describe.each(proofs)('a small proof of $airId', vector => {
  const claim = claimOf(vector);
  const policy = lax(vector.parameters);
  const air = findAir(vector.airId) as Air;
  const geometry = proofGeometry(vector.parameters, air);
  const withProof = (proof: Uint8Array) => verify({ ...claim, proof }, policy);
  const sections = sectionsOf(geometry);

  it('is accepted, with its figures and the root of its trace', () => {
    const verdict = verify(claim, policy);
    expect(verdict).toMatchObject({
      valid: true,
      airId: vector.airId,
      parameterSet: 'test-0',
      ...vector.parameters,
    });
    expect(verdict.valid && `0x${Buffer.from(verdict.traceRoot).toString('hex')}`).toBe(
      vector.starkRootCommitment,
    );
  });

  it('is rejected with any single bit flipped', async () => {
    const backend = await loadWasmVerifierBackend();
    const proof = claim.proof.slice();
    for (let i = 0; i < proof.length; i++) {
      for (let bit = 0; bit < 8; bit++) {
        proof[i] ^= 1 << bit;
        if (verify({ ...claim, proof }, policy, backend).valid)
          throw new Error(`accepted: byte ${i}, bit ${bit}`);
        proof[i] ^= 1 << bit;
      }
    }
    expect(verify({ ...claim, proof }, policy, backend).valid).toBe(true);
  }, 600_000);

  it('is rejected truncated at any byte', () => {
    for (let length = 0; length < claim.proof.length; length++) {
      expect(withProof(claim.proof.subarray(0, length))).toMatchObject({ valid: false, reason: 'truncated' });
    }
  }, 60_000);

  it('is rejected with bytes after its end', () => {
    for (const extra of [1, 8, 32, 100_000]) {
      const proof = new Uint8Array(claim.proof.length + extra);
      proof.set(claim.proof);
      expect(withProof(proof)).toMatchObject({ valid: false, reason: 'trailing-bytes' });
    }
  });

  it('is rejected for any other public input, never with an exception', () => {
    const inputs = vector.publicInputs;
    for (const [key, value] of Object.entries(inputs)) {
      const others = Array.isArray(value)
        ? value.map((_, i) => value.map((element, j) => (i === j ? incremented(element as string) : element)))
        : [
            typeof value === 'string' && value.startsWith('0x')
              ? incremented(value)
              : value === 'hex'
                ? 'text'
                : 7,
          ];
      for (const other of others) {
        const verdict = verify({ ...claim, publicInputs: { ...inputs, [key]: other } }, policy);
        expect(verdict).toMatchObject({ valid: false, securityBits: 0, conjecturedSecurityBits: 0 });
      }
    }
  });

  it('is rejected under another AIR, an unknown AIR and another context domain', () => {
    const other = proofs.find(({ airId }) => airId !== vector.airId) as ProofVector;
    const elsewhere = verify({ ...claim, airId: other.airId, publicInputs: other.publicInputs }, policy);
    expect(elsewhere.valid).toBe(false);
    expect(verify({ ...claim, airId: 'hash-chain/v0' }, policy)).toMatchObject({ reason: 'unknown-air' });
    for (const contextDomain of ['other', 'test vector ', 'Test vector']) {
      expect(verify({ ...claim, contextDomain }, policy)).toMatchObject({
        reason: 'constraints-unsatisfied',
      });
    }
    const tooLong = verify({ ...claim, contextDomain: 'x'.repeat(257) }, policy);
    expect(tooLong).toMatchObject({ reason: 'invalid-context-domain' });
  });

  it.each([
    ['fewer queries', { queryCount: 1 }],
    ['more queries', { queryCount: 5 }],
    ['a lower blowup', { blowupFactor: vector.parameters.blowupFactor * 2 }],
    ['less grinding', { grindingBits: 3 }],
    ['another trace length', { traceLength: 128 }],
  ])('is rejected when its header claims %s, though the policy accepts that too', (_, change) => {
    const claimed = { ...vector.parameters, ...change };
    const proof = claim.proof.slice();
    proof.set(encodeHeader(claimed));
    expect(verify({ ...claim, proof }, lax(vector.parameters, claimed)).valid).toBe(false);
    if (!('traceLength' in change)) {
      expect(withProof(proof)).toMatchObject({ valid: false, reason: 'parameters-not-allowed' });
    }
  });

  it('is rejected with its roots swapped', () => {
    const { traceCap, compositionCap } = sections;
    const proof = claim.proof.slice();
    proof.set(claim.proof.subarray(...compositionCap), traceCap[0]);
    proof.set(claim.proof.subarray(...traceCap), compositionCap[0]);
    expect(withProof(proof)).toMatchObject({ valid: false, reason: 'constraints-unsatisfied' });
  });

  it('is rejected with a noncanonical element in place of an equal canonical one', () => {
    for (const [start, end] of [sections.outOfDomain, sections.finalPolynomial, sections.firstTraceLeaf]) {
      for (let offset = start; offset < end; offset += 8) {
        const proof = claim.proof.slice();
        const view = new DataView(proof.buffer);
        const element = view.getBigUint64(offset, true);
        // Where the element itself has a second representative below 2^64, that; else p, the second one of zero.
        view.setBigUint64(offset, element + P < 2n ** 64n ? element + P : P, true);
        expect(withProof(proof)).toMatchObject({ valid: false, reason: 'non-canonical-element' });
      }
    }
  });

  it('is rejected with two leaves in exchanged order', () => {
    const { firstTraceLeaf } = sections;
    const [start, end] = firstTraceLeaf;
    const size = end - start;
    const proof = claim.proof.slice();
    proof.set(claim.proof.subarray(end, end + size), start);
    proof.set(claim.proof.subarray(start, end), end);
    expect(withProof(proof)).toMatchObject({ valid: false, reason: 'trace-opening' });
  });

  it('is rejected with a word removed or repeated anywhere in the openings', () => {
    for (let offset = sections.firstTraceLeaf[0]; offset + 32 <= claim.proof.length; offset += 32) {
      const head = claim.proof.subarray(0, offset);
      const removed = Uint8Array.from([...head, ...claim.proof.subarray(offset + 32)]);
      const repeated = Uint8Array.from([
        ...head,
        ...claim.proof.subarray(offset, offset + 32),
        ...claim.proof.subarray(offset),
      ]);
      expect(withProof(removed).valid).toBe(false);
      expect(withProof(repeated).valid).toBe(false);
    }
  });

  it('is rejected with another nonce, however its neighbours hash', () => {
    const proof = claim.proof.slice();
    const view = new DataView(proof.buffer);
    const [start] = sections.nonce;
    const nonce = view.getBigUint64(start, true);
    for (let i = 1n; i <= 64n; i++) {
      view.setBigUint64(start, nonce + i, true);
      expect(withProof(proof).valid).toBe(false);
    }
  });

  it('is rejected by the default policy, which its parameters are too weak for', () => {
    expect(verify(claim)).toMatchObject({ valid: false, reason: 'parameters-not-allowed' });
    const demanding = { ...policy, securityBitsMin: 100 };
    expect(verify(claim, demanding)).toMatchObject({ valid: false, reason: 'insufficient-security' });
    const conjectured = { ...policy, conjecturedSecurityBitsMin: 100 };
    expect(verify(claim, conjectured)).toMatchObject({ valid: false, reason: 'insufficient-security' });
  });

  it('is rejected where another trace length is asked for', () => {
    const { traceLength } = vector.parameters;
    expect(verify({ ...claim, traceLength }, policy).valid).toBe(true);
    const longer = verify({ ...claim, traceLength: 2 * traceLength }, policy);
    expect(longer).toMatchObject({ valid: false, reason: 'trace-length-mismatch' });
  });
});

describe('hostile bytes', () => {
  const vector = proofs[0];
  const claim = claimOf(vector);
  const policy = lax(vector.parameters);

  it('are a verdict, never an exception, whatever they are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 6000 }), proof => {
        expect(verify({ ...claim, proof }, policy).valid).toBe(false);
      }),
    );
  });

  it('are a verdict behind an honest beginning of any length', () => {
    fc.assert(
      fc.property(fc.nat(claim.proof.length - 1), fc.uint8Array({ maxLength: 6000 }), (kept, noise) => {
        const proof = Uint8Array.from([...claim.proof.subarray(0, kept), ...noise]);
        const same = Buffer.compare(proof, claim.proof) === 0;
        expect(verify({ ...claim, proof }, policy).valid).toBe(same);
      }),
      { numRuns: 300 },
    );
  });

  it('are a verdict beside any public inputs, AIR id and context domain', () => {
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

  it.each([
    ['trace length 2^255', 11, 255],
    ['trace length 2^21', 11, 21],
    ['trace length 2^5', 11, 5],
    ['blowup 2^255', 12, 255],
    ['blowup 1', 12, 0],
    ['blowup 64', 12, 6],
    ['255 grinding bits', 13, 255],
    ['65,000 queries', 15, 254],
    ['no queries', 14, 0],
  ])('cannot make the verifier allocate by claiming %s', (_, offset, value) => {
    const proof = claim.proof.slice();
    proof[offset] = value;
    let hashed = 0;
    const backend = {
      ...referenceVerifierBackend,
      hashMany(...args: Parameters<typeof referenceVerifierBackend.hashMany>) {
        hashed++;
        return referenceVerifierBackend.hashMany(...args);
      },
    };
    expect(verify({ ...claim, proof }, policy, backend)).toMatchObject({ reason: 'parameters-not-allowed' });
    expect(hashed).toBe(0);
  });

  it.each([
    ['magic', 0, 'malformed-header'],
    ['version', 8, 'unsupported-version'],
    ['profile', 10, 'unsupported-profile'],
  ])('are rejected for another %s', (_, offset, reason) => {
    const proof = claim.proof.slice();
    proof[offset] ^= 3;
    expect(verify({ ...claim, proof }, policy)).toMatchObject({ reason });
  });

  it('are read from a view into a larger buffer as from their own', () => {
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

function incremented(element: string): string {
  return `0x${((BigInt(element) + 1n) % P).toString(16)}`;
}

type Range = [start: number, end: number];

// Where the sections that do not depend on the queries lie.
function sectionsOf({ leafCounts, outOfDomainBytes, finalLength, traceLeafBytes }: ProofGeometry) {
  let offset = HEADER_BYTES;
  const next = (length: number): Range => [offset, (offset += length)];
  const traceCap = next(capBytes(leafCounts[0]));
  const compositionCap = next(capBytes(leafCounts[0]));
  const outOfDomain = next(outOfDomainBytes);
  for (const leafCount of leafCounts.slice(1)) next(capBytes(leafCount));
  return {
    traceCap,
    compositionCap,
    outOfDomain,
    finalPolynomial: next(24 * finalLength),
    nonce: next(8),
    firstTraceLeaf: next(traceLeafBytes),
  };
}

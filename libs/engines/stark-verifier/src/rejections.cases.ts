import type { ProofParameters } from './proof-parameters.js';
import { type Air, findAir } from '@svc/stark-air';
import { sectionsOf } from './testing/proof-sections.js';
import { claimOf, laxPolicy, type ProofVector, proofVectors } from './testing/node/proof-vectors.js';
import type { VerifierBackend } from './backend.js';
import { loadWasmVerifierBackend } from './node/index.js';
import { profileOf } from './profiles.js';
import { proofGeometry } from './proof-geometry.js';
import { encodeHeader, HEADER_BYTES } from './proof-header.js';
import { PROFILE_FACTS } from './profile-facts.js';
import { referenceVerifierBackend } from './reference-backend.js';
import { verify } from './verify.js';

const IS_FULL = process.env.SUITE_TIER === 'long';
/** Every bit of every proof takes minutes: at commit 1 in 9 of the smallest proof, and so many of the others. */
const smallest = [...proofVectors].sort((a, b) => a.proof.length - b.proof.length)[0];
const SAMPLED_FLIPS = 150;
const SAMPLED_TRUNCATIONS = 60;
const SAMPLED_NODES = 40;
const SMALLEST_STRIDE = 9;
/** Every third element: sections begin at any place of that. */
const ELEMENT_STRIDE = IS_FULL ? 1 : 3;
const strideFor = (vector: ProofVector, total: number, samples: number) =>
  // Odd, so that every bit of a byte has its turn.
  IS_FULL ? 1 : vector === smallest ? SMALLEST_STRIDE : Math.ceil(total / samples) | 1;

const backend: VerifierBackend = await loadWasmVerifierBackend();

/** Ten times as long as most: to flip every bit of it takes longer than to flip every bit of all others. */
export const largestProof = proofVectors.reduce((a, b) => (b.proof.length > a.proof.length ? b : a));

export function describeRejectedProofs(vectors: readonly ProofVector[]): void {
  describe.each(vectors)('a proof of $airId ($name)', vector => {
    const { parameters, publicInputs } = vector;
    const profile = profileOf(parameters.profile);
    const air = findAir(vector.airId, profile.base.name) as Air;
    const claim = claimOf(vector);
    const policy = laxPolicy(parameters);
    const sections = sectionsOf(proofGeometry(parameters, air));
    const withProof = (proof: Uint8Array) => verify({ ...claim, proof }, policy, backend);
    const altered = (change: (proof: Uint8Array) => void) => {
      const proof = claim.proof.slice();
      change(proof);
      return withProof(proof);
    };

    it('accepts it as it is, with either backend', () => {
      expect(verify(claim, policy, backend).valid).toBe(true);
      expect(verify(claim, policy, referenceVerifierBackend).valid).toBe(true);
    });

    it('rejects every single bit flipped', () => {
      const proof = claim.proof.slice();
      const bitCount = 8 * proof.length;
      const stride = strideFor(vector, bitCount, SAMPLED_FLIPS);
      const isFinal = (bit: number) =>
        bit >> 3 >= sections.finalPolynomial[0] && bit >> 3 < sections.nonce[1];
      for (let bit = 0; bit < bitCount; bit++) {
        // Few flips of the final polynomial are told by that alone: most lead to other queries.
        if (bit % stride !== 0 && !(vector === smallest && isFinal(bit))) continue;
        proof[bit >> 3] ^= 1 << (bit & 7);
        if (withProof(proof).valid) throw new Error(`accepted: byte ${bit >> 3}, bit ${bit & 7}`);
        proof[bit >> 3] ^= 1 << (bit & 7);
      }
      expect(withProof(proof).valid).toBe(true);
    });

    it('rejects every truncation', () => {
      const { length } = claim.proof;
      for (let kept = 0; kept < length; kept += strideFor(vector, length, SAMPLED_TRUNCATIONS)) {
        const verdict = withProof(claim.proof.subarray(0, kept));
        if (verdict.valid || verdict.reason !== 'truncated')
          throw new Error(`${kept}: ${JSON.stringify(verdict)}`);
      }
      expect(withProof(claim.proof.subarray(0, -1))).toMatchObject({ valid: false, reason: 'truncated' });
    });

    it('rejects what is shorter than any proof before it looks at the statement', () => {
      const shortest = sections.nonce[1];
      const verdict = (length: number) =>
        verify({ ...claim, proof: claim.proof.subarray(0, length), publicInputs: null }, policy, backend);
      expect(verdict(shortest - 1)).toMatchObject({ reason: 'truncated' });
      expect(verdict(shortest)).toMatchObject({ reason: 'invalid-public-inputs' });
    });

    it('rejects trailing bytes', () => {
      for (const extra of [1, 8, 32, 100_000]) {
        const proof = new Uint8Array(claim.proof.length + extra);
        proof.set(claim.proof);
        expect(withProof(proof)).toMatchObject({ valid: false, reason: 'trailing-bytes' });
      }
    });

    it('rejects an element not below p in place of an equal one, wherever elements stand', () => {
      const { elementBytes, modulus } = profile.base;
      const { overflow, outOfDomain, finalPolynomial, firstTraceLeaf } = sections;
      const rowsEnd = firstTraceLeaf[1] - (parameters.zeroKnowledge ? 16 : 0);
      const ranges = [overflow, outOfDomain, finalPolynomial, [firstTraceLeaf[0], rowsEnd] as const];
      for (const [start, end] of ranges) {
        for (let offset = start; offset < end; offset += ELEMENT_STRIDE * elementBytes) {
          const verdict = altered(proof => {
            const view = new DataView(proof.buffer);
            // Where the element has a second representative that fits, that; else p, the second one of zero.
            if (elementBytes === 8) {
              const element = view.getBigUint64(offset, true);
              view.setBigUint64(offset, element + modulus < 2n ** 64n ? element + modulus : modulus, true);
            } else {
              view.setUint32(offset, view.getUint32(offset, true) + Number(modulus), true);
            }
          });
          expect(verdict).toMatchObject({ valid: false, reason: 'non-canonical-element' });
        }
      }
    });

    it('rejects any other public input', () => {
      for (const other of otherPublicInputs(publicInputs, profile.base.modulus)) {
        const verdict = verify({ ...claim, publicInputs: other }, policy, backend);
        expect(verdict).toMatchObject({ valid: false, securityBits: 0, conjecturedSecurityBits: 0 });
      }
    });

    it('rejects another AIR id', () => {
      for (const other of proofVectors.filter(({ airId }) => airId !== vector.airId)) {
        const elsewhere = { ...claim, airId: other.airId, publicInputs: other.publicInputs };
        expect(verify(elsewhere, policy, backend).valid).toBe(false);
      }
      for (const airId of ['hash-chain/v0', '', `${vector.airId} `]) {
        expect(verify({ ...claim, airId }, policy)).toMatchObject({ reason: 'unknown-air' });
      }
    });

    it('rejects another context domain', () => {
      for (const contextDomain of ['other', `${vector.contextDomain} `, `${vector.contextDomain}\0`]) {
        expect(verify({ ...claim, contextDomain }, policy, backend)).toMatchObject({
          reason: 'constraints-unsatisfied',
        });
      }
      const tooLong = verify({ ...claim, contextDomain: 'x'.repeat(257) }, policy);
      expect(tooLong).toMatchObject({ reason: 'invalid-context-domain' });
    });

    const lengthens = { traceLength: 2 * parameters.traceLength };
    it.each([
      ['fewer queries', { queryCount: Math.max(1, parameters.queryCount - 1) }],
      ['more queries', { queryCount: parameters.queryCount + 1 }],
      ['a lower blowup', { blowupFactor: parameters.blowupFactor === 2 ? 4 : parameters.blowupFactor / 2 }],
      ['less grinding', { grindingBits: parameters.grindingBits - 1 }],
      ['another trace length', lengthens],
      ['the other zero-knowledge flag', { zeroKnowledge: !parameters.zeroKnowledge }],
      ...(['gl2', 'gl3', 'm31'] as const)
        .filter(name => name !== parameters.profile)
        .map(name => [`profile ${name}`, { profile: name }] as const),
    ] as [string, Partial<ProofParameters>][])(
      'rejects a header that claims %s, though the policy accepts that too',
      (_, change) => {
        const claimed = { ...parameters, ...change };
        if (
          Object.entries(change).every(([key, value]) => parameters[key as keyof ProofParameters] === value)
        ) {
          // One query is the least there is: none is outside the format.
          claimed.queryCount = 0;
        }
        const proof = claim.proof.slice();
        proof.set(encodeHeader(claimed));
        expect(verify({ ...claim, proof }, laxPolicy(parameters, claimed), backend).valid).toBe(false);
        if (!('traceLength' in change) && !('zeroKnowledge' in change)) {
          expect(withProof(proof)).toMatchObject({ valid: false, reason: 'parameters-not-allowed' });
        }
      },
    );

    it('rejects swapped roots', () => {
      const { traceCap, compositionCap } = sections;
      const verdict = altered(proof => {
        proof.set(claim.proof.subarray(...compositionCap), traceCap[0]);
        proof.set(claim.proof.subarray(...traceCap), compositionCap[0]);
      });
      expect(verdict).toMatchObject({ valid: false, reason: 'constraints-unsatisfied' });
    });

    it('rejects a root altered anywhere, and any two of its nodes exchanged', () => {
      const { traceCap, compositionCap, layerCaps } = sections;
      for (const [start, end] of [traceCap, compositionCap, ...layerCaps]) {
        const first = claim.proof.subarray(start, start + 32);
        for (let node = start + 32; node < end; node += 32) {
          const verdict = altered(proof => {
            proof.set(claim.proof.subarray(node, node + 32), start);
            proof.set(first, node);
          });
          expect(verdict.valid).toBe(false);
        }
        for (let node = start; node < end; node += 32) {
          const byte = node + (((node - start) / 32) % 32);
          expect([byte, altered(proof => (proof[byte] ^= 1 << (node % 8))).valid]).toEqual([byte, false]);
        }
      }
    });

    it('rejects reordered queries: two opened leaves, or two rows of the only one, in exchanged order', () => {
      const [start, leafEnd] = sections.firstTraceLeaf;
      const rowBytes = air.columnCount * profile.base.elementBytes;
      const end = parameters.queryCount < 2 ? start + rowBytes : leafEnd;
      const size = end - start;
      const verdict = altered(proof => {
        proof.set(claim.proof.subarray(end, end + size), start);
        proof.set(claim.proof.subarray(start, end), end);
      });
      expect(verdict).toMatchObject({ valid: false, reason: 'trace-opening' });
    });

    it('rejects a missing, a repeated and an additional node anywhere in the openings', () => {
      const { proof } = claim;
      const [start] = sections.firstTraceLeaf;
      const step = 32 * strideFor(vector, (proof.length - start) / 32, SAMPLED_NODES);
      for (let offset = start; offset + 32 <= proof.length; offset += step) {
        const node = proof.subarray(offset, offset + 32);
        const head = proof.subarray(0, offset);
        const removed = Buffer.concat([head, proof.subarray(offset + 32)]);
        const repeated = Buffer.concat([head, node, proof.subarray(offset)]);
        const added = Buffer.concat([head, new Uint8Array(32), proof.subarray(offset)]);
        for (const wrong of [removed, repeated, added]) expect(withProof(wrong).valid).toBe(false);
      }
    });

    it('rejects an opened leaf that is given twice, as queries that collide might ask for', () => {
      const [start, end] = sections.firstTraceLeaf;
      const leaf = claim.proof.subarray(start, end);
      const twice = Uint8Array.from([...claim.proof.subarray(0, end), ...leaf, ...claim.proof.subarray(end)]);
      expect(withProof(twice).valid).toBe(false);
    });

    it('rejects a nonce that is off by one, or by more, most of them for the grinding that they lack', () => {
      const [start] = sections.nonce;
      const nonce = new DataView(claim.proof.buffer).getBigUint64(start, true);
      const verdicts = Array.from({ length: 32 }, (_, i) =>
        altered(proof =>
          new DataView(proof.buffer).setBigUint64(
            start,
            BigInt.asUintN(64, nonce + BigInt(i - 16 + (i < 16 ? 0 : 1))),
            true,
          ),
        ),
      );
      expect(verdicts[15].valid || verdicts[16].valid).toBe(false);
      const unground = verdicts.filter(
        verdict => !verdict.valid && verdict.reason === 'insufficient-grinding',
      );
      expect(unground.length).toBeGreaterThan(4);
    });

    it('rejects an altered salt', () => {
      if (!parameters.zeroKnowledge) return;
      const [, end] = sections.firstTraceLeaf;
      for (let offset = end - 16; offset < end; offset++) {
        expect(altered(proof => (proof[offset] ^= 1))).toMatchObject({ reason: 'trace-opening' });
      }
    });

    it('rejects a weaker proof than the policy asks for', () => {
      expect(verify(claim)).toMatchObject({ valid: false, reason: 'parameters-not-allowed' });
      const demanding = { ...policy, securityBitsMin: 80 };
      expect(verify(claim, demanding)).toMatchObject({
        valid: false,
        reason: 'insufficient-security',
        detail: expect.stringMatching(/^\d+(\.\d+)? bits proven, 80 asked for$/),
      });
      // Without a figure of its own the policy asks for 80 bits.
      const { securityBitsMin: _lax, ...silent } = policy;
      expect(verify(claim, silent)).toMatchObject({ valid: false, reason: 'insufficient-security' });
      const conjectured = { ...policy, conjecturedSecurityBitsMin: 100 };
      // The figure that is too low, not the one that would do.
      expect(verify(claim, conjectured)).toMatchObject({
        valid: false,
        reason: 'insufficient-security',
        detail: expect.stringMatching(/^\d+(\.\d+)? bits conjectured, 100 asked for$/),
      });
    });

    it('rejects another trace length than was asked for', () => {
      const { traceLength } = parameters;
      expect(verify({ ...claim, traceLength }, policy, backend).valid).toBe(true);
      const longer = verify({ ...claim, traceLength: 2 * traceLength }, policy);
      expect(longer).toMatchObject({ valid: false, reason: 'trace-length-mismatch' });
    });
  });
}

export function describeRejectedHeaders(): void {
  describe('a header', () => {
    const [vector] = proofVectors;
    const claim = claimOf(vector);
    const policy = laxPolicy(vector.parameters);

    it.each([
      ['a bomb length: trace length 2^255', 11, 255],
      ['a bomb length: trace length 2^21', 11, 21],
      ['a trace length below the least', 11, 5],
      ['a bomb length: blowup 2^255', 12, 255],
      ['blowup 1', 12, 0],
      ['blowup 64', 12, 6],
      ['255 grinding bits', 13, 255],
      ['a bomb length: 65,000 queries', 15, 254],
      ['zero queries', 14, 0],
    ])('rejects %s before anything is hashed or allocated', (_, offset, value) => {
      const proof = claim.proof.slice();
      proof[offset] = value;
      let hashed = 0;
      const counting: VerifierBackend = {
        ...referenceVerifierBackend,
        hashMany(...args) {
          hashed++;
          return referenceVerifierBackend.hashMany(...args);
        },
        verifyMultiproof(claim) {
          hashed++;
          return referenceVerifierBackend.verifyMultiproof(claim);
        },
      };
      expect(verify({ ...claim, proof }, policy, counting)).toMatchObject({
        reason: 'parameters-not-allowed',
      });
      expect(hashed).toBe(0);
    });

    it.each([
      ['magic', 0, 'malformed-header'],
      ['version', 8, 'unsupported-version'],
      ['profile', 10, 'unsupported-profile'],
      ['flag', 16, 'malformed-header'],
      ['first reserved byte', 17, 'malformed-header'],
      ['last reserved byte', 19, 'malformed-header'],
    ])('rejects another %s', (_, offset, reason) => {
      const proof = claim.proof.slice();
      proof[offset] ^= 4;
      expect(verify({ ...claim, proof }, policy)).toMatchObject({ reason });
    });

    it.each<[string, Partial<ProofParameters>]>([
      ['below 2,048 rows', { traceLength: 1024 }],
      ['that is less than twice its masks', { profile: 'gl3', queryCount: 63 }],
      ['on the circle that is less than four times its masks', { profile: 'm31', queryCount: 31 }],
    ])('rejects zero knowledge at a length %s', (_, change) => {
      const profile = change.profile ?? 'gl2';
      const masked = proofVectors.find(
        ({ parameters }) => parameters.zeroKnowledge && parameters.profile === profile,
      ) as ProofVector;
      const verdictOn = (claimed: ProofParameters) => {
        const proof = claimOf(masked).proof.slice();
        proof.set(encodeHeader(claimed));
        return verify({ ...claimOf(masked), proof }, laxPolicy(claimed));
      };
      expect(masked.parameters.traceLength).toBe(2048);
      const short = { ...masked.parameters, ...change };
      expect(verdictOn(short)).toMatchObject({ reason: 'parameters-not-allowed' });
      // The length alone is at fault: at twice as many rows the parameters are allowed, and the proof is read.
      const { reason } = verdictOn({ ...short, traceLength: 2 * short.traceLength }) as { reason: string };
      expect(reason).not.toBe('parameters-not-allowed');
    });

    it('rejects a profile that the AIR has no form in, and zero knowledge where the AIR has none', () => {
      const chain = proofVectors.find(({ airId }) => airId === 'hash-chain/v1') as ProofVector;
      const claimed = { ...chain.parameters, traceLength: 2048, zeroKnowledge: true };
      const proof = claimOf(chain).proof.slice();
      proof.set(encodeHeader(claimed));
      const verdict = verify({ ...claimOf(chain), proof }, laxPolicy(claimed));
      expect(verdict).toMatchObject({ reason: 'parameters-not-allowed' });
    });

    it('rejects replay across fields: a body under the header of every other profile', () => {
      for (const from of proofVectors) {
        for (const profile of ['gl3', 'gl2', 'm31'] as const) {
          if (profile === from.parameters.profile) continue;
          const claimed = { ...from.parameters, profile };
          const proof = claimOf(from).proof.slice();
          proof.set(encodeHeader(claimed));
          const verdict = verify({ ...claimOf(from), proof }, laxPolicy(claimed), backend);
          expect(verdict.valid).toBe(false);
        }
      }
      expect(Object.keys(PROFILE_FACTS)).toEqual(['gl3', 'gl2', 'm31']);
    });

    it('has its version, profile, sizes, flag and reserved bytes where the format document has them', () => {
      const header = encodeHeader({
        profile: 'gl2',
        traceLength: 2048,
        blowupFactor: 8,
        queryCount: 0x0142,
        grindingBits: 16,
        zeroKnowledge: true,
      });
      const text = new TextDecoder().decode(header.subarray(0, 8));
      expect(text).toBe('SVCSTARK');
      expect([...header.subarray(8)]).toEqual([3, 0, 2, 11, 3, 16, 0x42, 0x01, 1, 0, 0, 0]);
      expect(header).toHaveLength(HEADER_BYTES);
    });
  });
}

/** The public inputs with each element, and each other leaf, changed in turn. */
function* otherPublicInputs(json: unknown, modulus: bigint): Generator<unknown> {
  if (Array.isArray(json)) {
    for (const [i, item] of json.entries()) {
      for (const other of otherPublicInputs(item, modulus))
        yield json.map((own: unknown, j) => (i === j ? other : own));
    }
  } else if (typeof json === 'object' && json !== null) {
    for (const [key, value] of Object.entries(json)) {
      for (const other of otherPublicInputs(value, modulus)) yield { ...json, [key]: other };
    }
  } else if (typeof json === 'number') {
    yield json + 1;
  } else if (typeof json === 'string' && json.startsWith('0x')) {
    yield `0x${((BigInt(json) + 1n) % modulus).toString(16).padStart(json.length - 2, '0')}`;
  } else {
    yield json === 'hex' ? 'text' : `${String(json)}x`;
  }
}

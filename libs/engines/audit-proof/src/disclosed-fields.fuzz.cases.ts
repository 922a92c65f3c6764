import type { ProvedAuditProof } from './audit-proof.js';
import { loadWasmVerifierBackend } from '@svc/stark-verifier/node';
import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { fromBase64 } from './byte-text.js';
import {
  discloseFields,
  type DisclosedFields,
  readDisclosedFields,
  verifyDisclosedFields,
} from './disclosed-fields.js';
import {
  auditClaimOf,
  disclosedAnswersOf,
  disclosureBatchVector,
  pinnedAuditPolicy,
} from './testing/node/audit-vectors.js';
import { verifyAuditProof } from './verify-audit-proof.js';

/** Bits of a text: so many that a seed draws, or every n-th from one on. */
type Bits = { readonly drawn: number } | { readonly part: number; readonly of: number };

const backend = await loadWasmVerifierBackend();
const policy = pinnedAuditPolicy();
const batch = disclosureBatchVector;
const [answer] = disclosedAnswersOf(batch);
const proof = fromBase64(batch.proof) as Uint8Array;
const document = discloseFields(answer, ['/verdict', '/modes', '/un~1usual~0name']);

const checked = (claimed: unknown) =>
  verifyDisclosedFields({ document: claimed, proof, keys: batch.keys }, policy, backend);

/** The text with one of its bits flipped, as JSON; undefined where it is none, or says what it said. */
function flipped(value: object, bit: number): unknown {
  const bytes = Buffer.from(JSON.stringify(value));
  bytes[bit >> 3] ^= 1 << (bit & 7);
  try {
    const changed: unknown = JSON.parse(bytes.toString());
    return isDeepStrictEqual(changed, JSON.parse(JSON.stringify(value))) ? undefined : changed;
  } catch {
    return undefined;
  }
}

function bitsOf(value: object, bits: Bits): number[] {
  const bitCount = 8 * Buffer.byteLength(JSON.stringify(value));
  if ('drawn' in bits) return fc.sample(fc.nat(bitCount - 1), { numRuns: bits.drawn, seed: 2026 });
  return Array.from(
    { length: Math.ceil((bitCount - bits.part) / bits.of) },
    (_, i) => bits.part + i * bits.of,
  );
}

/** JSON in the place of any member, at any depth. */
const membersOf = (json: unknown): { holder: Record<string, unknown>; name: string }[] => {
  if (typeof json !== 'object' || json === null) return [];
  const holder = json as Record<string, unknown>;
  return Object.keys(holder).flatMap(name => [{ holder, name }, ...membersOf(holder[name])]);
};
const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>,
  fc.constantFrom<unknown>(
    undefined,
    1n,
    -0,
    NaN,
    2 ** 53,
    '\ud800',
    [],
    {},
    { toJSON: 1 },
    `0x${'00'.repeat(16)}`,
  ),
);

/** All that a document says but where its proof is fetched; what no JSON says is told from null. */
function saidBy(json: unknown): string {
  return JSON.stringify(json, (name, value: unknown) => {
    if (name === 'proofId') return undefined;
    const isJson = typeof value !== 'bigint' && !(typeof value === 'number' && !Number.isFinite(value));
    return isJson ? value : String(value);
  });
}

export function describeFlippedFields(bits: Bits): void {
  it('rejects disclosed fields with any bit flipped, but where their proof is fetched', () => {
    expect(checked(document)).toMatchObject({ valid: true });
    let rejected = 0;
    const tried = bitsOf(document, bits);
    for (const bit of tried) {
      const changed = flipped(document, bit);
      if (changed === undefined) continue;
      const { valid } = checked(changed);
      const { disclosureProof, ...rest } = changed as DisclosedFields;
      const { proofId: _where, ...said } = (disclosureProof ?? {}) as Partial<ProvedAuditProof>;
      const { proofId: _there, ...says } = document.disclosureProof as ProvedAuditProof;
      const { disclosureProof: _own, ...others } = document;
      const isSame = isDeepStrictEqual([rest, said], [others, says]);
      expect([bit, valid]).toEqual([bit, isSame]);
      rejected += valid ? 0 : 1;
    }
    expect(rejected).toBeGreaterThan(tried.length / 3);
  });
}

export function describeFlippedAnswer(bits: Bits): void {
  it('rejects a whole answer with any bit flipped in it, in its disclosure or in either proof', () => {
    const { request, keys } = auditClaimOf(batch.audits[0], batch);
    let rejected = 0;
    const tried = bitsOf(answer, bits);
    for (const bit of tried) {
      const changed = flipped(answer, bit) as Record<string, unknown> | undefined;
      if (changed === undefined) continue;
      const { auditProof } = changed;
      const verdict = verifyAuditProof(
        { auditProof, result: changed, request, proof, keys },
        policy,
        backend,
      );
      expect([bit, verdict.valid]).toEqual([bit, false]);
      rejected += 1;
    }
    expect(rejected).toBeGreaterThan(tried.length / 3);
  });
}

export function describeAnyJson({ numRuns, seed }: { numRuns: number; seed: number }): void {
  it('never throws, and accepts nothing else, whatever JSON stands where', () => {
    const property = fc.property(fc.nat(1 << 16), anything, fc.boolean(), (at, value, isRemoved) => {
      const copy = structuredClone(document);
      const members = membersOf(copy);
      const { holder, name } = members[at % members.length];
      if (isRemoved) delete holder[name];
      else holder[name] = value;
      const isSame = saidBy(copy) === saidBy(document);
      if (!isSame) expect(checked(copy).valid).toBe(false);
      expect(['string', 'object']).toContain(typeof readDisclosedFields(value));
    });
    fc.assert(property, { numRuns, seed });
  });

  it('gives a verdict on a value nested deeper than any stack', () => {
    let value: unknown = 1;
    for (let depth = 0; depth < 100_000; depth++) value = [value];
    const [field, ...rest] = document.fields;
    expect(checked({ ...document, fields: [{ ...field, value }, ...rest] })).toMatchObject({ valid: false });
  });
}

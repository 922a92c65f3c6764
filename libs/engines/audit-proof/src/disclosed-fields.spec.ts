import { loadWasmVerifierBackend } from '@svc/stark-verifier/node';
import {
  discloseFields,
  type DisclosedFields,
  DisclosureError,
  verifyDisclosedFields,
} from './disclosed-fields.js';
import { type FieldDisclosure, makeDisclosure } from './field-disclosure.js';
import { fromBase64, toHex } from './byte-text.js';
import {
  auditClaimOf,
  disclosedAnswersOf,
  disclosureBatchVector,
  pinnedAuditPolicy,
} from './testing/node/audit-vectors.js';
import { type ReadAuditProof, readAuditProof } from './audit-proof.js';
import { verifyAuditProof } from './verify-audit-proof.js';
import { answerDisclosureFault } from './verify-disclosure.js';

const backend = await loadWasmVerifierBackend();
const policy = pinnedAuditPolicy();
const batch = disclosureBatchVector;
const [bullion, card] = disclosedAnswersOf(batch);
const proof = fromBase64(batch.proof) as Uint8Array;

type Loose<T> = { -readonly [K in keyof T]: T[K] extends object ? Loose<T[K]> : T[K] };
const copyOf = <T>(value: T) => structuredClone(value) as Loose<T>;
const disclosureOf = (answer: object) => (answer as { disclosure: FieldDisclosure }).disclosure;
const checked = (document: unknown, more: object = {}) =>
  verifyDisclosedFields({ document, proof, keys: batch.keys, ...more }, policy, backend);
const shown = () => copyOf(discloseFields(bullion, ['/verdict', '/spot/price', '/modes/1']));

/** A change to a document, and what it must be rejected for. */
type Change = (document: Loose<DisclosedFields>) => unknown;

describe('fields of an answer that are shown by themselves', () => {
  it('are verified without the answer, each alone and all together', () => {
    const paths = disclosureOf(bullion).fields.map(({ path }) => path);
    for (const path of paths) {
      const document = discloseFields(bullion, [path]);
      expect(document.fields).toHaveLength(1);
      expect(checked(JSON.parse(JSON.stringify(document)))).toMatchObject({ valid: true });
    }
    expect(checked(discloseFields(bullion, paths))).toMatchObject({ valid: true });
    expect(checked(discloseFields(card, ['/medianUsd']))).toMatchObject({ valid: true });
  });

  it('carry no salt, value or digest of what is not shown', () => {
    const text = JSON.stringify(discloseFields(bullion, ['/verdict']));
    const hidden = disclosureOf(bullion).fields.filter(({ path }) => path !== '/verdict');
    expect(hidden.length).toBeGreaterThan(8);
    for (const { path, salt } of hidden) {
      expect(text).not.toContain(salt);
      expect(text).not.toContain(JSON.stringify(path));
    }
    const { requestDigest, resultDigest } = batch.audits[0].auditProof;
    for (const secret of [requestDigest, resultDigest, '4100.25', 'recordingSha256'])
      expect(text).not.toContain(secret);
  });

  it('are all fields of a member whose path is given, and each once', () => {
    const of = (...paths: string[]) => discloseFields(bullion, paths).fields.map(({ path }) => path);
    expect(of('/spot')).toEqual(['/spot/price', '/spot/currency', '/spot/stale']);
    expect(of('/spot/stale', '/verdict', '/spot')).toEqual([
      '/verdict',
      '/spot/price',
      '/spot/currency',
      '/spot/stale',
    ]);
    expect(of('/un~1usual~0name/é~1~0')).toHaveLength(1);
  });

  it('are none that the answer has not, nor of an answer that is not the one under its root', () => {
    const codeOf = (answer: object, path: string) => {
      try {
        discloseFields(answer, [path]);
      } catch (error) {
        if (error instanceof DisclosureError) return error.code;
      }
      return undefined;
    };
    for (const path of [
      '/nope',
      '/spo',
      'verdict',
      '',
      '/spot/',
      '/spectrumSvg',
      '/disclosure',
      '/modes/1/n',
    ])
      expect(codeOf(bullion, path)).toBe('unknown-field');
    expect(codeOf({ ...bullion, verdict: 'FAIL' }, '/verdict')).toBe('malformed-disclosure');
    expect(codeOf({ ...bullion, more: 1 }, '/verdict')).toBe('malformed-disclosure');
    expect(codeOf({ ...bullion, disclosure: disclosureOf(card) }, '/verdict')).toBe('malformed-disclosure');
    expect(codeOf({ verdict: 'PASS' }, '/verdict')).toBe('no-disclosure');
  });

  const other = copyOf(discloseFields(card, ['/medianUsd', '/n']));
  const changes: readonly [string, string, Change][] = [
    ['a changed value', 'field-not-under-root', d => (d.fields[0].value = 'FAIL')],
    ['another type of value', 'field-not-under-root', d => (d.fields[1].value = 4100.25)],
    ['a changed path', 'field-not-under-root', d => (d.fields[0].path = '/verdicts')],
    ['the path of another field', 'field-not-under-root', d => (d.fields[0].path = '/charged')],
    ['a changed salt', 'field-not-under-root', d => (d.fields[0].salt = d.fields[1].salt)],
    ['a changed index', 'field-not-under-root', d => (d.fields[0].index = 1)],
    ['exchanged audit paths', 'field-not-under-root', d => (d.fields[0].siblings = d.fields[1].siblings)],
    ['a shorter audit path', 'field-not-under-root', d => d.fields[0].siblings.pop()],
    ['a longer audit path', 'field-not-under-root', d => d.fields[0].siblings.push(d.root)],
    ['another root', 'field-not-under-root', d => (d.root = other.root)],
    // Another shape of the tree, or, where the paths do not show it, another commitment.
    ['another count of fields', 'field-not-under-root', d => (d.fieldCount = 40)],
    ['one field more than there are', 'not-a-disclosure', d => d.fieldCount++],
    ['another operation', 'not-a-disclosure', d => (d.operationId = 'agent.card-valuation')],
    ['the proof of another answer', 'not-a-disclosure', d => (d.disclosureProof = other.disclosureProof)],
    [
      'the proof of the whole answer',
      'not-a-disclosure',
      d => (d.disclosureProof = copyOf(batch.audits[0].auditProof)),
    ],
    [
      'a field of another answer',
      'field-not-under-root',
      d => d.fields.push({ ...other.fields[0], index: 9 }),
    ],
    ['a field twice', 'malformed-disclosure', d => d.fields.push(copyOf(d.fields[0]))],
    [
      'a field under two indexes',
      'malformed-disclosure',
      d => d.fields.push({ ...copyOf(d.fields[0]), index: 9 }),
    ],
    [
      'two values of one path',
      'malformed-disclosure',
      d => d.fields.push({ ...copyOf(d.fields[1]), path: '/verdict' }),
    ],
    ['no field', 'malformed-disclosure', d => (d.fields = [])],
    ['a member of its own', 'malformed-disclosure', d => ((d as { more?: 1 }).more = 1)],
    ['an index outside', 'malformed-disclosure', d => (d.fields[0].index = d.fieldCount)],
    ['a count of none', 'malformed-disclosure', d => (d.fieldCount = 0)],
    ['another version', 'malformed-disclosure', d => ((d as { version: number }).version = 2)],
    ['a proof that proves more', 'not-a-disclosure', d => (d.disclosureProof.proves = 'rules')],
    ['a proof under other rules', 'not-a-disclosure', d => (d.disclosureProof.rulesetId = 'bullion-ring/v1')],
    ['a proof of another sentence', 'leaf-not-under-root', d => (d.disclosureProof.doesNotProve = 'Little.')],
    ['a proof that cannot be read', 'malformed-audit-proof', d => (d.disclosureProof.root = '0x')],
  ];
  it.each(changes)('are rejected with %s: %s', (_, reason, change) => {
    const document = shown();
    change(document);
    expect(checked(document)).toMatchObject({ valid: false, reason });
  });

  it('are rejected under another batch, without its key, and after its end', () => {
    const broken = proof.slice();
    broken[broken.length >> 1] ^= 1;
    expect(checked(shown(), { proof: broken })).toMatchObject({ reason: 'stark-invalid' });
    expect(checked(shown(), { keys: [] })).toMatchObject({ reason: 'unknown-key' });
    const claim = { document: shown(), proof, keys: batch.keys };
    const late = { ...policy, nowSeconds: Date.UTC(2028, 0, 1) / 1_000 };
    expect(verifyDisclosedFields(claim, late, backend)).toMatchObject({ reason: 'expired' });
    // The pinned proof is a small one: of what is not pinned, 100 bits are asked.
    expect(verifyDisclosedFields(claim, { nowSeconds: policy.nowSeconds }, backend).valid).toBe(false);
  });
});

describe('an answer whose fields can be shown', () => {
  const audited = (result: unknown, which = 0) =>
    verifyAuditProof({ ...auditClaimOf(batch.audits[which], batch), result }, policy, backend);
  const disclosureProof = bullion['disclosureProof'] as object;

  it('is verified with its disclosure, whose proof is held to the same batch', () => {
    for (const [i, answer] of [bullion, card].entries()) {
      expect(audited(answer, 2 * i)).toMatchObject({ valid: true });
      expect(audited(JSON.parse(JSON.stringify(answer)), 2 * i)).toMatchObject({ valid: true });
    }
  });

  it.each([
    ['of another answer', card['disclosureProof']],
    ['of the whole answer', bullion['auditProof']],
    ['of another batch', { ...disclosureProof, proofId: 'prf_other' }],
    ['signed by another', { ...disclosureProof, keyId: 'other' }],
    ['that ends on another day', { ...disclosureProof, expiresAt: '2028-01-01T00:00:00Z' }],
    ['with another sentence', { ...disclosureProof, doesNotProve: 'Nothing.' }],
    ['that proves more', { ...disclosureProof, proves: 'computation' }],
    ['that cannot be read', { ...disclosureProof, version: 2 }],
    ['that is empty', {}],
  ])('is rejected with a proof of its disclosure %s', (_, other) => {
    expect(audited({ ...bullion, disclosureProof: other })).toMatchObject({ reason: 'disclosure-mismatch' });
  });

  it('is rejected where a member takes the place of a disclosure or its proof', () => {
    for (const other of [null, 1, 'proof']) {
      expect(audited({ ...bullion, disclosureProof: other })).toMatchObject({ reason: 'result-mismatch' });
      expect(audited({ ...bullion, disclosure: other })).toMatchObject({ reason: 'result-mismatch' });
    }
    // An answer without a disclosure gets no proof of one.
    const { disclosure: _none, ...bare } = bullion;
    expect(audited(bare)).toMatchObject({ reason: 'result-mismatch' });
  });

  it('is rejected where what is disclosed is not all of its fields, as they are', () => {
    const draw = () => new Uint8Array(16).fill(7);
    const honest = disclosureOf(bullion);
    const [first, ...rest] = honest.fields;
    const faults: [FieldDisclosure, string][] = [
      [{ ...honest, fields: rest }, '/verdict is not disclosed'],
      [{ ...honest, fields: [first, ...honest.fields] }, 'there is no field /verdict'],
      [{ ...honest, fields: [...rest, first] }, 'the fields are not those under the root'],
      [{ ...honest, root: toHex(new Uint8Array(32)) }, 'the fields are not those under the root'],
      [makeDisclosure({ ...bullion, verdict: 'FAIL' }, honest.operationId, draw), 'not those under the root'],
      [makeDisclosure(bullion, honest.operationId, draw), 'disclosureProof is of something else'],
      [{ ...honest, operationId: 'agent.coi-verify' }, 'disclosureProof is of something else'],
    ];
    const audit = readAuditProof(bullion['auditProof']) as ReadAuditProof;
    for (const [disclosure, fault] of faults) {
      const answer = { ...bullion, disclosure };
      expect(answerDisclosureFault(answer, audit)).toEqual(expect.stringContaining(fault));
      expect(audited(answer)).toMatchObject({ reason: 'result-mismatch' });
    }
    expect(answerDisclosureFault(bullion, audit)).toBeUndefined();
  });
});

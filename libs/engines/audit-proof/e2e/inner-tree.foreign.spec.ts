import { expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canonicalDigest, innerLeafHash, InnerTree, outerLeaf, toHex } from '../src/index.js';
import { NESTED_VECTORS_FILE, nestedBatchVector } from '../src/testing/node/audit-vectors.js';

const SCRIPT = fileURLToPath(
  new URL('../../../../bench/second-verifier-audit/inner_tree.py', import.meta.url),
);

function python(file: string): { digests: boolean; root: string; content: string }[] | undefined {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' });
  } catch {
    console.log('SKIPPED: python3 is not installed');
    return undefined;
  }
  const lines = execFileSync('python3', [SCRIPT, file], { encoding: 'utf8' }).trim().split('\n');
  return lines.map(line => JSON.parse(line) as { digests: boolean; root: string; content: string });
}

test('the published vectors have in Python the roots that they have here', () => {
  const found = python(fileURLToPath(NESTED_VECTORS_FILE));
  if (!found) return;
  const nested = nestedBatchVector.audits.flatMap(({ auditProof }) =>
    auditProof.version === 3 ? [auditProof] : [],
  );
  const salts = nested.map(({ inner }) => Buffer.from(inner.salt.slice(2), 'hex'));
  const { root, count } = new InnerTree(nested.map((audit, i) => innerLeafHash(audit, salts[i])));
  const content = toHex(outerLeaf(root, count, new Uint8Array(16)).contentDigest);
  expect(found).toEqual(nested.map(() => ({ digests: true, root: toHex(root), content })));
});

test('trees of 1 to 256 answers have in Python the roots that they have here', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-inner-'));
  try {
    for (const count of [1, 2, 3, 5, 8, 13, 100, 255, 256]) {
      const audits = Array.from({ length: count }, (_, i) => {
        const [request, result] = [
          { ask: `é ${i}` },
          { value: i / 7, small: 1e-7 * i, list: [i, null, true] },
        ];
        const requestDigest = toHex(canonicalDigest(request));
        const resultDigest = toHex(canonicalDigest(result));
        const said = {
          proves: 'commitment' as const,
          doesNotProve: 'Anything “else”.',
          rulesetId: `r/${i % 3}`,
        };
        return { request, result, auditProof: { ...said, requestDigest, resultDigest, rules: [] } };
      });
      const salts = audits.map((_, i) => new Uint8Array(16).fill(i));
      const tree = new InnerTree(audits.map(({ auditProof }, i) => innerLeafHash(auditProof, salts[i])));
      const vectors = audits.map(({ auditProof, ...answer }, i) => {
        const inner = { index: i, count, salt: toHex(salts[i]), path: tree.path(i).map(toHex) };
        return { ...answer, auditProof: { ...auditProof, version: 3, inner } };
      });
      const file = join(folder, `${count}.json`);
      writeFileSync(file, JSON.stringify({ audits: vectors }));
      const found = python(file);
      if (!found) return;
      expect(found).toHaveLength(count);
      expect(new Set(found.map(({ root, digests }) => `${root} ${digests}`))).toEqual(
        new Set([`${toHex(tree.root)} true`]),
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

// Runs both verifiers over a corpus and tells every claim on which they differ.
// node bench/second-verifier/compare.mjs <folder> <second verifier's binary>
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verify } from '@svc/stark-verifier';
import { loadWasmVerifierBackend } from '@svc/stark-verifier/node';

const OUTPUT_BYTES_MAX = 64 * 2 ** 20;
const [folder, binary] = process.argv.slice(2);
if (!binary) throw new Error('usage: compare.mjs <folder> <second verifier>');

const backend = await loadWasmVerifierBackend();
const claims = readFileSync(join(folder, 'claims.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map(line => JSON.parse(line));
const output = execFileSync(binary, [folder], { maxBuffer: OUTPUT_BYTES_MAX, encoding: 'utf8' });
const second = new Map(
  output
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
    .map(verdict => [verdict.id, verdict]),
);

const tally = {};
let differences = 0;
for (const { id, proofFile, kind, ...claim } of claims) {
  const proof = readFileSync(join(folder, proofFile));
  const ours = verify({ ...claim, proof }, { securityBitsMin: 0 }, backend);
  const theirs = second.get(id);
  // A mutation may be none: what counts is that both say the same, and that what was made honestly holds.
  const isWrong = ours.valid !== theirs?.valid || (kind === 'valid' && !ours.valid);
  if (isWrong) {
    differences++;
    console.log(`${id} (${kind}, ${claim.airId}): first ${verdictText(ours)}, second ${verdictText(theirs)}`);
  }
  tally[kind] ??= { valid: 0, invalid: 0 };
  tally[kind][ours.valid ? 'valid' : 'invalid']++;
}
console.table(tally);
console.log(`${claims.length} claims, ${differences} differences`);
process.exitCode = differences === 0 ? 0 : 1;

function verdictText(verdict) {
  if (!verdict) return 'nothing';
  return verdict.valid ? 'valid' : `invalid (${verdict.reason})`;
}

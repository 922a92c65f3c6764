import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DefinitionError, readDefinition, verify } from '@svc/stark-verifier';
import { loadWasmVerifierBackend } from '@svc/stark-verifier/node';
import { writeCorpus } from './corpus.mjs';

const OUTPUT_BYTES_MAX = 64 * 2 ** 20;

export const packages = ['@noble/hashes'];

export const options = { valid: 1_000, mutated: 10_000, seed: 1, own: false };
export const smoke = { valid: 3, mutated: 10 };

/**
 * Holds the verifier against a second one, in Rust, that was written from docs/stark-format.md alone: both judge the same
 * honest and mutated claims, and read the same definitions beside them; fails where they differ on one. With `own` all
 * are under definitions of other people.
 *
 * @param {{ report: import('../../tools/bench/report.mjs').Report, options: typeof options, smoke: boolean }} run
 */
export default async function secondVerifier({ report, options, smoke }) {
  const binary = smoke ? undefined : buildSecondVerifier();
  if (!binary) report.leftOut('the second verifier', 'needs Rust');
  const folder = mkdtempSync(join(tmpdir(), 'svc-corpus-'));
  try {
    await writeCorpus(folder, options);
    await compare(folder, binary, report);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function buildSecondVerifier() {
  const directory = import.meta.dirname;
  try {
    execFileSync('cargo', ['--version'], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  execFileSync('cargo', ['build', '--release', '--locked', '--quiet'], { cwd: directory, stdio: 'inherit' });
  return join(directory, 'target/release/second-verifier');
}

async function compare(folder, binary, report) {
  const backend = await loadWasmVerifierBackend();
  const claims = jsonLines(readFileSync(join(folder, 'claims.jsonl'), 'utf8'));
  const second = binary && verdictsOf(binary, folder);
  const tally = new Map();
  const differences = [];
  const definitions = { read: 0, refused: 0 };
  for (const { id, proofFile, kind, holds, ...claim } of claims) {
    const first = verify(
      { ...claim, proof: readFileSync(join(folder, proofFile)) },
      { securityBitsMin: 0 },
      backend,
    );
    const counts = tally.get(kind) ?? { claims: 0, valid: 0, invalid: 0 };
    counts.claims++;
    counts[first.valid ? 'valid' : 'invalid']++;
    tally.set(kind, counts);
    // A mutation may be none; what was made honestly must hold, and both must say the same.
    const other = second ? second.get(id) : first;
    if (!agree(first, other) || (holds && !first.valid)) {
      differences.push(`${id} (${kind}, ${claim.airId}): first ${said(first)}, second ${said(other)}`);
    }
    if (typeof claim.air !== 'string' || !second) continue;
    definitions.read++;
    const read = idOfDefinition(claim.air);
    if (read === null) definitions.refused++;
    if (read !== other?.definition) {
      differences.push(`${id} (${kind}): the text is read as ${read} first, as ${other?.definition} second`);
    }
  }
  report.table('claims by how they were made');
  for (const [kind, counts] of tally) report.row(kind, counts);
  if (second) {
    report.note(
      `${claims.length} claims, with ${definitions.read} texts beside them, of which ${definitions.refused} are no definition: ` +
        `${differences.length} on which the two verifiers differ.`,
    );
  }
  if (differences.length > 0) throw new Error(differences.slice(0, 20).join('\n'));
}

/** Whether two verdicts are one, with the security that they say a valid proof has. */
function agree(first, other) {
  if (!other || first.valid !== other.valid) return false;
  const figures = ['securityBits', 'conjecturedSecurityBits'];
  return !first.valid || figures.every(figure => first[figure] === other[figure]);
}

/** The id of what a text is read as, whatever the proof beside it is worth; null where it is refused. */
function idOfDefinition(text) {
  try {
    return readDefinition(text).id;
  } catch (error) {
    if (error instanceof DefinitionError) return null;
    throw error;
  }
}

function verdictsOf(binary, folder) {
  const output = execFileSync(binary, [folder], { maxBuffer: OUTPUT_BYTES_MAX, encoding: 'utf8' });
  return new Map(jsonLines(output).map(verdict => [verdict.id, verdict]));
}

function jsonLines(text) {
  return text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));
}

function said(verdict) {
  if (!verdict) return 'nothing';
  return verdict.valid ? `valid (${verdict.securityBits} bits)` : `invalid (${verdict.reason})`;
}

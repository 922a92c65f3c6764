import { describe, expect, test } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { run } from '../../src/cli/run.js';
import { verifyLocally } from '../../src/proof/verify-locally.js';

/** "I know a ratio that takes 7 to 137781 in nine steps": a proof, with the definition that somebody has made. */
const FILE = fileURLToPath(new URL('../../testing/fixtures/own-statement.json', import.meta.url));
const bundle = JSON.parse(readFileSync(FILE, 'utf8')) as {
  proof: string;
  airId: string;
  air: { constraints: { name: string }[] };
  publicInputs: Record<string, string>;
  traceLength: number;
};
const text = JSON.stringify(bundle.air);

async function svc(args: string[], input = '') {
  const written = { stdout: '', stderr: '' };
  const code = await run({
    arguments: args,
    environment: {},
    streams: {
      stdin: Readable.from([Buffer.from(input)]),
      stdout: { write: (said: string) => (written.stdout += said) },
      stderr: { write: (said: string) => (written.stderr += said) },
    },
    signal: new AbortController().signal,
  });
  return { code, ...written };
}

describe('svc air', () => {
  test('check tells the id of a definition, and what to look at', async () => {
    const { code, stdout } = await svc(['air', 'check', '-'], text);
    expect(code).toBe(0);
    expect(stdout).toContain(bundle.airId);
    expect(stdout).toContain('goldilocks, degree 2: 2 columns, 7 nodes, 2 constraints');
    expect(stdout).toContain('rows, start, end');
    expect(stdout).toContain('a trace of zeros fulfils it');
    expect(stdout).toContain('not that they mean what their names say');
    const { stdout: json } = await svc(['air', 'check', '-', '--json'], text);
    expect(JSON.parse(json)).toMatchObject({ valid: true, id: bundle.airId, stepped: ['term', 'ratio'] });
  });

  test('show writes the constraints out', async () => {
    const { code, stdout } = await svc(['air', 'show', '-'], text);
    expect([code, stdout]).toEqual([0, expect.stringContaining('multiply: next term − term · ratio = 0')]);
  });

  test.each([
    ['an equal member', text.replace('"field"', '"format":"air/1","field"'), 'malformed-json'],
    ['a column that occurs nowhere', text.replace('"ratio"]', '"ratio","other"]'), 'column-unused'],
    ['no definition', '{}', 'malformed-definition'],
  ])('refuses %s, and says why', async (_what, definition, why) => {
    const { code, stdout } = await svc(['air', 'check', '-'], definition);
    expect([code, stdout]).toEqual([1, expect.stringContaining(`REFUSED  ${why}`)]);
    const { stdout: json } = await svc(['air', 'check', '-', '--json'], definition);
    expect(JSON.parse(json)).toMatchObject({ valid: false, code: why });
  });
});

describe('svc verify of a proof under a definition', () => {
  test('takes the definition that the file has, and says whether it was expected', async () => {
    const found = await svc(['verify', FILE]);
    expect(found.code).toBe(0);
    expect(found.stdout).toContain(`VALID`);
    expect(found.stdout).toMatch(/public +rows = \d+, start = 0x/);
    expect(found.stdout).toContain(
      'valid under the definition in this file; --air names the one that you expect',
    );
    const expected = await svc(['verify', FILE, '--air', bundle.airId]);
    expect([expected.code, expected.stdout]).toEqual([
      0,
      expect.stringContaining('under the definition that you have named'),
    ]);
    const other = await svc(['verify', FILE, '--air', `air/sha256:${'0'.repeat(64)}`]);
    expect([other.code, other.stdout]).toEqual([4, expect.stringContaining('INVALID  definition-mismatch')]);
  });

  test('takes the definition from the file that --air names where the proof has none, and no id that is none', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-air-'));
    const { air: _beside, ...alone } = bundle;
    const [proof, definition] = [join(folder, 'proof.json'), join(folder, 'air.json')];
    writeFileSync(proof, JSON.stringify(alone));
    writeFileSync(definition, text);
    try {
      const found = await svc(['air', 'verify', proof, '--air', definition]);
      expect([found.code, found.stdout]).toEqual([0, expect.stringContaining('VALID')]);
      const missing = await svc(['verify', proof]);
      expect([missing.code, missing.stdout]).toEqual([
        4,
        expect.stringContaining('definition-missing; svc air verify takes it by --air FILE'),
      ]);
      const none = await svc(['air', 'verify', proof, '--air', 'air/sha256:1234']);
      expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('64 hexadecimal digits')]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('takes no other proof for the one that --air names, and lets no file command the terminal', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-air-'));
    try {
      const named = join(folder, 'named.json');
      const { proof, publicInputs, traceLength } = bundle;
      const starkProof = { proof, airId: bundle.airId, publicInputs, contextDomain: '', traceLength };
      const proofId = `prf_${'A'.repeat(22)}`;
      writeFileSync(named, JSON.stringify({ proofId, airId: 'hash-chain/v1', starkProof }));
      const other = await svc(['air', 'verify', named, '--air', `air/sha256:${'0'.repeat(64)}`]);
      expect([other.code, other.stdout]).toEqual([2, '']);
      const escapes = join(folder, 'escapes.json');
      writeFileSync(escapes, JSON.stringify({ ...bundle, publicInputs: { '\u001b[2K\rVALID': 1 } }));
      const { code, stdout, stderr } = await svc(['air', 'verify', escapes]);
      expect(code).toBe(4);
      expect(stdout + stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f]/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('buys no proof of a trace that breaks, nor of more rows than are sold', async () => {
    const asked = [
      'air',
      'prove',
      '-',
      '--start',
      'term=7,ratio=3',
      '--public',
      'end=1',
      '--url',
      'http://127.0.0.1:9',
    ];
    const broken = await svc([...asked, '--rows', '4'], text);
    expect([broken.code, broken.stdout]).toEqual([1, expect.stringContaining('BREAKS')]);
    const long = await svc([...asked, '--rows', '65537'], text);
    expect([long.code, long.stderr]).toEqual([2, expect.stringContaining('--local proves more')]);
  });

  test('is a value for a program that verifies', () => {
    const claim = { ...bundle, air: text };
    expect(verifyLocally(claim)).toMatchObject({ valid: true, securityBits: 100, definitionExpected: false });
    expect(verifyLocally({ ...claim, airIds: [bundle.airId] })).toMatchObject({ definitionExpected: true });
    const reasonOf = (change: object) => {
      const verdict = verifyLocally({ ...claim, ...change });
      return verdict.valid ? 'valid' : verdict.reason;
    };
    // A text would be searched for the id, and a second argument passed over.
    for (const wrong of [
      () => verifyLocally({ ...claim, airIds: `no ${bundle.airId}` as never }),
      () => (verifyLocally as (...claims: object[]) => unknown)(claim, { airIds: [bundle.airId] }),
    ])
      expect(wrong).toThrow(TypeError);
    expect([
      reasonOf({ airIds: ['hash-chain/v1'] }),
      reasonOf({ air: undefined }),
      reasonOf({ air: text.replace('"hold"', '"held"') }),
      reasonOf({ publicInputs: { ...bundle.publicInputs, end: '0x0000000000021a36' } }),
    ]).toEqual(['air-not-expected', 'definition-missing', 'definition-mismatch', 'constraints-unsatisfied']);
  });
});

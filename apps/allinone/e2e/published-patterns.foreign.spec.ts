import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { READY } from './allinone.cases.js';
import { AppProcess } from './processes.js';
import { publishedPatterns } from './published-patterns.js';

/** What dialects are known to differ in: digits, letters and spaces beyond ASCII, ends of lines, halves of bytes. */
const SAMPLES = [
  ...[
    '',
    'a',
    '0',
    '٣',
    '１',
    'é',
    'K',
    'ſ',
    'a b',
    'a\nb',
    '\u0085',
    '\u2028',
    '\u00a0',
    '\u001f',
    '\0',
    '🥇',
    '-',
    '/a~1b',
  ],
  ...['0xab', '0xAB', 'ab', '12.50', '12.5٣', 'a@b.ch', 'a@b.сh', 'AAAA', 'AA==', 'svc', '1.5'],
  ...['2026-02-28', '2026-02-29', '٢026-02-28', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00.٣Z'],
  ...['tsk_AAAAAAAAAAAAAAAAAAAAAA', 'tsk_AAAAAAAAAAAAAAAAAAAAAÄ', '0x'.padEnd(66, 'a'), '0x'.padEnd(66, '٣')],
];

/** Reads patterns and samples, and writes for each pattern by a letter which samples it finds: y or n. */
const PYTHON = `
import json, re, sys
asked = json.load(open(sys.argv[1]))
finds = lambda one: ''.join('y' if one.search(text) else 'n' for text in asked['samples'])
print(json.dumps([finds(re.compile(pattern)) for pattern in asked['patterns']]))
`;
const GO = `package main

import ("encoding/json"; "fmt"; "os"; "regexp")

func main() {
	var asked struct{ Patterns, Samples []string }
	bytes, _ := os.ReadFile(os.Args[1])
	if err := json.Unmarshal(bytes, &asked); err != nil { panic(err) }
	found := []string{}
	for _, pattern := range asked.Patterns {
		one, verdicts := regexp.MustCompile(pattern), ""
		for _, text := range asked.Samples {
			if one.MatchString(text) { verdicts += "y" } else { verdicts += "n" }
		}
		found = append(found, verdicts)
	}
	out, _ := json.Marshal(found)
	fmt.Println(string(out))
}
`;
const LANGUAGES = [
  { tool: 'python3', version: '--version', file: 'patterns.py', source: PYTHON, args: [] },
  { tool: 'go', version: 'version', file: 'patterns.go', source: GO, args: ['run'] },
];

const ofSamples = (finds: (text: string) => boolean) =>
  SAMPLES.map(text => (finds(text) ? 'y' : 'n')).join('');

describe('the patterns of all published schemas', () => {
  let folder: string;
  let product: AppProcess;
  let patterns: string[];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-patterns-'));
    product = new AppProcess('allinone', { PORT: '0', DATA_DIR: join(folder, 'data'), HOME: folder });
    const [, address] = await product.says(READY);
    patterns = [...(await publishedPatterns(address)).keys()];
    await writeFile(join(folder, 'asked.json'), JSON.stringify({ patterns, samples: SAMPLES }));
  });
  afterAll(async () => {
    await product?.end();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(LANGUAGES)(
    'find in $tool what they find in JavaScript',
    async ({ tool, version, file, source, args }) => {
      if (spawnSync(tool, [version]).status !== 0) return console.log(`SKIPPED: ${tool} is not installed`);
      const [script, asked] = [join(folder, file), join(folder, 'asked.json')];
      await writeFile(script, source);
      const { stdout, stderr } = spawnSync(tool, [...args, script, asked], { encoding: 'utf8' });
      expect(stderr).toBe('');
      const found = JSON.parse(stdout) as string[];
      const pairs = (verdicts: readonly string[]) =>
        patterns.map((pattern, index) => [pattern, verdicts[index]]);
      for (const flags of ['', 'u'])
        expect(pairs(found)).toEqual(
          pairs(patterns.map(pattern => ofSamples(text => new RegExp(pattern, flags).test(text)))),
        );
    },
  );
});

import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import * as air from '../src/air/index.js';
import { run } from '../src/cli/run.js';
import { verifyLocally } from '../src/index.js';

const PAGE = readFileSync(new URL('../../../docs/own-statements.md', import.meta.url), 'utf8');
const blocks = (language: string) =>
  [...PAGE.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))].map(([, block]) => block);
const [byHand] = blocks('json');

/** Runs a block of the page as it stands, but for its import; what it prints is returned. */
function printed(block: string, given: Record<string, unknown> = {}): unknown[] {
  const [, names, program] = /^import \{ (.+) \} from '@svc\/client\/air';\n([^]*)$/.exec(block)!;
  const lines: unknown[] = [];
  const known: Record<string, unknown> = {
    ...given,
    console: { log: (...line: unknown[]) => lines.push(...line) },
  };
  for (const name of names.split(', ')) known[name] = air[name as keyof typeof air];
  new Function(...Object.keys(known), program)(...Object.values(known));
  return lines;
}

describe('docs/own-statements.md', () => {
  test('has a program that prints a definition, whose trace is of the readings that it says', () => {
    const [json] = printed(blocks('js')[0]) as [string];
    const definition = air.readDefinition(json);
    const readings = [3n, 65_535n, 0n, 7n];
    const given = Object.fromEntries(
      Array.from({ length: 16 }, (_, i) => [`reading_${i}`, readings.map(each => (each >> BigInt(i)) & 1n)]),
    );
    expect(air.makeOwnTrace(definition, { rows: 4, given }, 64).publicInputs).toEqual({ total: 65_545n });
  });

  test.each([0, 1])(
    'has a definition by hand of which svc air check says what block %d shows',
    async index => {
      const [command, ...lines] = blocks('console')[index].split('\n');
      const [, ...words] = command.split(' ').slice(1);
      let stdout = '';
      const code = await run({
        arguments: words.map(word => (word === 'step.air.json' ? '-' : word)),
        environment: {},
        streams: {
          stdin: Readable.from([Buffer.from(byHand)]),
          stdout: { write: (text: string) => (stdout += text) },
          stderr: { write: () => undefined },
        },
        signal: new AbortController().signal,
      });
      expect([code, stdout]).toEqual([index, lines.join('\n')]);
    },
  );

  test('has a trace that is made as it says', () => {
    const block = blocks('js')[1];
    expect(printed(block, { text: byHand })).toEqual([{ start: 2n, end: 202n }]);
    expect(block).toContain('// { start: 2n, end: 202n }');
  });

  test('has programs of committed values that print what they say', () => {
    const first = (salt: bigint[], values: bigint[][]) => air.commitmentOf('goldilocks', salt, values)[0];
    expect(printed(blocks('js')[2])).toEqual([33, 128, first([1n, 2n, 3n, 4n], [[40n], [41n], [42n]])]);
    expect(printed(blocks('js')[4])).toEqual([
      first([11n, 12n, 13n, 14n], [[20n], [22n], [21n]]),
      128,
      { least: '60' },
    ]);
  });

  test('has a path whose statement is one', () => {
    const path = {
      siblings: [
        [5n, 6n, 7n, 8n],
        [9n, 10n, 11n, 12n],
      ],
      isRight: [false, true],
    };
    const [root] = air.merkleRoot([1n, 2n, 3n, 4n], path);
    expect(printed(blocks('js')[3])).toEqual([47, 64, 5, root]);
  });

  test('verifies an answer as it says', () => {
    const file = new URL('../testing/fixtures/own-statement.json', import.meta.url);
    const bundle = JSON.parse(readFileSync(file, 'utf8')) as { air: object; airId: string };
    const answer = { ...bundle, air: JSON.stringify(bundle.air) };
    const block = blocks('js').find(each => each.includes("from '@svc/client';"))!;
    const lines: unknown[][] = [];
    const program = block.replace(/^import .*\n/, '');
    const known = {
      verifyLocally,
      answer,
      id: bundle.airId,
      console: { log: (...line: unknown[]) => lines.push(line) },
    };
    new Function(...Object.keys(known), program)(...Object.values(known));
    expect(lines).toEqual([[true, true]]);
  });

  test('has every reason for which a definition is refused', () => {
    const told = air.DEFINITION_ERROR_CODES.filter(code => !PAGE.includes(`\`${code}\``));
    expect(told).toEqual([]);
  });

  test('has the gallery by its ids', () => {
    const rows = [...PAGE.matchAll(/^\| `(\w+)` \| `([0-9a-f]{64})` .* \| (?:depth )?(\d+)[^|]*\|$/gm)];
    const ids = Object.entries(air.GALLERY).map(([name, write]) => [name, write().id]);
    expect(rows.map(([, name, hash]) => [name, `air/sha256:${hash}`])).toEqual(ids);
  });
});

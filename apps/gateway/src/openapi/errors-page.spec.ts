import { expect, test } from '@jest/globals';
import { PROBLEM_HELP, PROBLEMS } from '@svc/contracts';
import { readFileSync } from 'node:fs';

test('docs/errors.md has one row for every problem, with its status, its charge, and the words that its type leads to', () => {
  const page = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8');
  const rows = page
    .split('\n')
    .map(line => line.split('|').map(cell => cell.trim()))
    .filter(cells => cells[1]?.startsWith('`'))
    .map(([, code, status, charged, retry, meaning, action]) => ({
      code: code.slice(1, -1),
      status: Number(status),
      charged,
      retry,
      meaning,
      action,
    }));
  expect(rows.map(({ code, status, charged, retry }) => [code, status, charged, retry])).toEqual(
    Object.entries(PROBLEMS).map(([code, { status, charged, retry }]) => [code, status, charged, retry]),
  );
  const withoutLinks = (text: string) => text.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1');
  for (const { code, meaning, action } of rows)
    expect([code, PROBLEM_HELP[code as keyof typeof PROBLEMS]]).toEqual([
      code,
      { meaning: withoutLinks(meaning), action: withoutLinks(action) },
    ]);
});

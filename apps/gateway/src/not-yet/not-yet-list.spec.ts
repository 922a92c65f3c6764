import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { NOT_YET_BEGIN, NOT_YET_END, notYetMarkdown } from './not-yet-list.js';

const rowsOf = (markdown: string) =>
  markdown
    .split('\n')
    .filter(line => line.startsWith('|'))
    .map(line =>
      line
        .split('|')
        .map(cell => cell.trim())
        .slice(1, -1),
    )
    .filter(([route]) => route.startsWith('`'));

test('the README lists exactly the routes that answer 501', () => {
  const readme = readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8');
  const section = readme.slice(readme.indexOf(NOT_YET_BEGIN), readme.indexOf(NOT_YET_END));
  expect(section).toContain(NOT_YET_BEGIN);
  expect(rowsOf(section)).toEqual(rowsOf(notYetMarkdown()));
});

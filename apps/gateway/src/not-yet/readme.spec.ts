import { expect, test } from '@jest/globals';
import { ROUTES_NOT_YET } from '@svc/contracts';
import { readFileSync } from 'node:fs';

const BEGIN = '<!-- routes:not-yet -->';
const END = '<!-- /routes:not-yet -->';

test('the README lists exactly the routes that answer 501, each with what it will do', () => {
  const readme = readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8');
  expect(readme).toContain(BEGIN);
  const section = readme.slice(readme.indexOf(BEGIN), readme.indexOf(END));
  const rows = section
    .split('\n')
    .filter(line => line.startsWith('| `'))
    .map(line => line.split('|').map(cell => cell.trim()))
    .map(cells => cells.slice(1, -1));
  expect(rows).toEqual(ROUTES_NOT_YET.map(route => [`\`${route.method} ${route.path}\``, route.summary]));
});

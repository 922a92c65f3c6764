import { AirCheckRequest } from './stark-prove.contract.js';

/** The issues of a check of such columns. */
const issuesOf = (trace: unknown) =>
  AirCheckRequest.safeParse({ air: '{}', trace }).error?.issues.map(({ path, message }) => [
    path.join('.'),
    message,
  ]);

it('names the first element of a column that is none, however many there are', () => {
  const bad = Array.from({ length: 1_000 }, () => 'x');
  const word = 'a decimal number, or hexadecimal digits after 0x';
  expect(issuesOf([bad, bad])).toEqual([
    ['trace.0.0', word],
    ['trace.1.0', word],
  ]);
  for (const wrong of [-1, 1.5, 2 ** 53, null, [1], '', ' 1', '1'.repeat(21), '0xg'])
    expect([wrong, issuesOf([[1, wrong, 'x']])?.[0]?.[0]]).toEqual([wrong, 'trace.0.1']);
  expect(issuesOf([[1, '2', '0x3', 18_446_744_069_414, '18446744069414584320']])).toBeUndefined();
});

it('refuses columns that are none, too many or too short', () => {
  for (const wrong of [[], [[1]], [1, 2], 'x', Array.from({ length: 65 }, () => [1, 2])])
    expect(issuesOf(wrong)).toHaveLength(Array.isArray(wrong) && wrong[0] === 1 ? 2 : 1);
});

import { RecentValues } from './recent-values.js';

it('makes a value once while it is among the most recent, and again after', () => {
  const made: string[] = [];
  const recent = new RecentValues<string>(2);
  const ask = (key: string) =>
    recent.get(key, () => {
      made.push(key);
      return `value of ${key}`;
    });
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) expect(ask(key)).toBe(`value of ${key}`);
  expect(made).toEqual(['a', 'b', 'c', 'b']);
});

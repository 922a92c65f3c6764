import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { CALL_UNITS, type FreeWork, LARGE_WORK_UNITS, WorkUnderWay } from './free-work.js';

const caller = { name: 'a', whose: 'from this address', times: 1, count: async () => undefined };
const HALF = LARGE_WORK_UNITS / 2;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

let underWay: WorkUnderWay;
let begun: string[];
beforeEach(() => {
  underWay = new WorkUnderWay();
  begun = [];
});
/** Takes units under a name, which is noted once they are taken, or refused. */
function take(name: string, units: number, work = underWay.begin(caller)): FreeWork {
  void work.take(units).then(
    () => begun.push(name),
    ({ code }) => begun.push(`${name} ${code}`),
  );
  return work;
}
const settled = () => jest.advanceTimersByTimeAsync(0);

it('begins what fits, and the rest in the order in which it came', async () => {
  const first = take('first', HALF);
  const second = take('second', HALF);
  const third = take('third', HALF);
  take('fourth', 1);
  await settled();
  expect(begun).toEqual(['first', 'second']);
  second.end();
  await settled();
  expect(begun).toEqual(['first', 'second', 'third', 'fourth'].slice(0, 3));
  first.end();
  third.end();
  await settled();
  expect(begun).toEqual(['first', 'second', 'third', 'fourth']);
});

it('counts what waits for nothing: two that each took a little before they knew the rest do not wait for each other', async () => {
  const works = ['first', 'second'].map(name => take(name, CALL_UNITS));
  await settled();
  for (const [i, work] of works.entries()) take(`rest ${i}`, LARGE_WORK_UNITS - CALL_UNITS, work);
  await settled();
  expect(begun).toEqual(['first', 'second', 'rest 0']);
  works[0].end();
  await settled();
  expect(begun.at(-1)).toBe('rest 1');
});

it('refuses what waits too long, and lets what is behind it go on', async () => {
  const first = take('first', LARGE_WORK_UNITS - 1);
  await settled();
  const late = take('late', HALF);
  take('small', 1);
  await jest.advanceTimersByTimeAsync(19_999);
  expect(begun).toEqual(['first']);
  await jest.advanceTimersByTimeAsync(1);
  expect(begun).toEqual(['first', 'late RATE_LIMITED', 'small']);
  late.end();
  first.end();
  take('all', LARGE_WORK_UNITS - 1);
  await settled();
  expect(begun.at(-1)).toBe('all');
});

it('holds up no other caller', async () => {
  take('first', LARGE_WORK_UNITS);
  take('second', 1);
  take('elsewhere', LARGE_WORK_UNITS, underWay.begin({ ...caller, name: 'b' }));
  await settled();
  expect(begun).toEqual(['first', 'elsewhere']);
});

import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createLogger } from '@svc/platform';
import { REFUSAL_LINES, RefusalLines } from './refusal-lines.js';

const [MALLORY, ALICE] = ['192.0.2.1', '192.0.2.2'];
const { count: LINES, windowSeconds } = REFUSAL_LINES;

let written: string[];
let summaries: object[];
let refusals: RefusalLines;
beforeEach(() => {
  jest.useFakeTimers();
  [written, summaries] = [[], []];
  const logger = createLogger('gateway', { level: 'silent' });
  logger.warn = ((line: object) => summaries.push(line)) as typeof logger.warn;
  refusals = new RefusalLines(logger, 'answers');
});
afterEach(() => {
  refusals.close();
  jest.useRealTimers();
});

const refuse = (times: number, address = MALLORY) => {
  for (let turn = 0; turn < times; turn++) refusals.add(address, () => written.push(address));
};
const summaryOf = (unwritten: number) => ({ ...{ address: MALLORY, unwritten }, security: 'refused' });

test('a flood of an address has so many lines in a window, and one that counts the others', () => {
  refuse(LINES);
  expect(written).toHaveLength(LINES);
  refuse(2_900);
  refuse(1, ALICE);
  expect(written).toHaveLength(LINES + 1);
  expect(summaries).toEqual([]);
  jest.advanceTimersByTime(windowSeconds * 1_000);
  expect(summaries).toMatchObject([summaryOf(2_900)]);
  // The next window has lines of its own, and no summary without need.
  refuse(1);
  expect(written).toHaveLength(LINES + 2);
  jest.advanceTimersByTime(windowSeconds * 1_000);
  expect(summaries).toHaveLength(1);
});

test('what is counted when the listener closes is written then, once', () => {
  refuse(LINES + 3);
  refusals.close();
  jest.advanceTimersByTime(windowSeconds * 1_000);
  expect(summaries).toMatchObject([summaryOf(3)]);
});

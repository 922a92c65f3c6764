import { expect, it } from '@jest/globals';
import { setImmediate as turn } from 'node:timers/promises';
import { AnswerGrid } from './answer-grid.js';

/** Where work took so long: when its answer, or its refusal, goes. */
async function goneAfter(tookMs: number, end: () => string): Promise<[string, number]> {
  let nowMs = 12_345.5;
  const askedMs = nowMs;
  const wait = async (ms: number) => {
    await turn();
    nowMs += ms;
  };
  const grid = new AnswerGrid(400, () => nowMs, wait);
  const held = grid.hold(async () => {
    nowMs += tookMs;
    return end();
  });
  const outcome = await held.catch((error: Error) => error.message);
  return [outcome, nowMs - askedMs];
}

it.each([
  [0, 400],
  [1.25, 400],
  [399.5, 400],
  [400, 800],
  [401, 800],
  [1_999, 2_000],
])('lets what took %d ms go after %d, an answer as well as a refusal', async (tookMs, goesMs) => {
  expect(await goneAfter(tookMs, () => 'match')).toEqual(['match', goesMs]);
  const refused = () => {
    throw new Error('refused');
  };
  expect(await goneAfter(tookMs, refused)).toEqual(['refused', goesMs]);
});

import { jest } from '@jest/globals';
import type { ToolProgress } from '@svc/contracts';
import { followProgress } from './call-progress.js';

const SILENT_MS = 60;
/** What a question takes by the clock of the test, less than the pause after one that told nothing. */
const ASKED_MS = 15;
const turn = () => new Promise(resolve => setImmediate(resolve));
const news = (seq: number, progress = 0, more: Partial<ToolProgress> = {}): ToolProgress => ({
  ...{ seq, progress, stage: 'simulating', ended: false },
  ...more,
});

afterEach(() => jest.restoreAllMocks());

/** Follows a call whose progress is answered so, until nothing is heard of it or it was asked so often. */
async function followed(answer: (asked: number) => ToolProgress | Error, askedMax = Infinity) {
  let nowMs = 1_000;
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const stages: (number | undefined)[] = [];
  let asked = 0;
  let isSilent = false;
  const following = followProgress(
    async () => {
      const given = answer(asked++);
      nowMs += ASKED_MS;
      await turn();
      if (given instanceof Error) throw given;
      return given;
    },
    {
      onStage: (_stage, progress) => stages.push(progress),
      onSilence: () => (isSilent = true),
      silentMsMax: SILENT_MS,
      askAgainMs: 20,
    },
  );
  while (!isSilent && asked < askedMax) await turn();
  // Where that was the last question, no other comes behind it.
  for (let turns = 0; turns < 20; turns++) await turn();
  following.abort();
  return { stages, asked, isSilent };
}

it('hears nothing more of a call whose replicas were lost or know it from before, and says so', async () => {
  // One that was started anew, and one that keeps what it heard last.
  const { stages, isSilent } = await followed(asked => news(asked % 2 === 0 ? 0 : 7, 0.5));
  expect([stages, isSilent]).toEqual([[0.5], true]);
});

it('goes on asking where a question fails, and says that nothing is heard where nobody answers', async () => {
  const { asked, isSilent } = await followed(() => new Error('No service answers'));
  expect([asked > 0, isSilent]).toEqual([true, true]);
});

it('waits for a call that goes on, though it says nothing new', async () => {
  const { stages, isSilent } = await followed(
    asked => (asked === 1 ? new Error('one that is lost') : news(asked + 1, 0.25)),
    (4 * SILENT_MS) / ASKED_MS,
  );
  expect([stages, isSilent]).toEqual([[0.25], false]);
});

it('asks no more once the call has ended', async () => {
  const { asked, isSilent } = await followed(() => news(1, 1, { ended: true }), 1);
  expect([asked, isSilent]).toEqual([1, false]);
});

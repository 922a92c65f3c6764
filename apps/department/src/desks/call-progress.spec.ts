import type { ToolProgress } from '@svc/contracts';
import { setTimeout as delay } from 'node:timers/promises';
import { followProgress } from './call-progress.js';

const SILENT_MS = 300;
const news = (seq: number, progress = 0, more: Partial<ToolProgress> = {}): ToolProgress => ({
  ...{ seq, progress, stage: 'simulating', ended: false },
  ...more,
});

/** Follows a call whose progress is answered so, until nothing is heard of it or the time is over. */
async function followed(answer: (asked: number) => ToolProgress | Error, forMs = 2_000) {
  const stages: (number | undefined)[] = [];
  let asked = 0;
  let isSilent = false;
  const following = followProgress(
    async () => {
      const given = answer(asked++);
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
  for (const sinceMs = performance.now(); !isSilent && performance.now() - sinceMs < forMs;) await delay(10);
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
    2 * SILENT_MS,
  );
  expect([stages, isSilent]).toEqual([[0.25], false]);
});

it('asks no more once the call has ended', async () => {
  const { asked, isSilent } = await followed(() => news(1, 1, { ended: true }), 100);
  expect([asked, isSilent]).toEqual([1, false]);
});

import { jest } from '@jest/globals';
import { createLogger, MemoryBus, openBusLink } from '@svc/platform';
import { ProgressBoard } from './progress-board.js';

const logger = createLogger('snn', { level: 'silent' });

it('knows at every replica how far a run has come, that it never falls back, and when it has ended', async () => {
  const bus = { kind: 'memory', bus: new MemoryBus() } as const;
  const [here, there] = [0, 1].map(() => new ProgressBoard(openBusLink(bus, 'snn', logger), { logger }));
  // Asked before it has begun: it may be on its way.
  const waiting = there.after('run', 0, 10_000);
  const run = here.begin('run');
  run.note(0.4, 'simulating');
  await expect(waiting).resolves.toMatchObject({ progress: 0.4, stage: 'simulating', ended: false });
  run.note(0.2, 'simulating');
  expect((await here.after('run', 0, 0)).progress).toBe(0.4);
  const end = there.after('run', (await there.after('run', 0, 0)).seq, 10_000);
  run.end();
  await expect(end).resolves.toMatchObject({ progress: 1, ended: true });
});

it('answers after the wait for a run that nobody has heard of', async () => {
  const link = openBusLink({ kind: 'memory', bus: new MemoryBus() }, 'snn', logger);
  const board = new ProgressBoard(link, { logger });
  await expect(board.after('never', 0, 20)).resolves.toEqual({ seq: 0, progress: 0, ended: false });
});

it('is heard of every few seconds while it waits, at every replica, and no more once it has ended', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  try {
    const bus = { kind: 'memory', bus: new MemoryBus() } as const;
    const [here, there] = [0, 1].map(() => new ProgressBoard(openBusLink(bus, 'snn', logger), { logger }));
    const run = here.begin('run');
    run.note(0, 'queued');
    const seqs: number[][] = [];
    for (let turn = 0; turn < 3; turn++) {
      jest.advanceTimersByTime(5_000);
      await new Promise(resolve => setImmediate(resolve));
      seqs.push([(await here.after('run', 0, 0)).seq, (await there.after('run', 0, 0)).seq]);
    }
    for (const turn of [1, 2])
      expect(seqs[turn].map((seq, at) => seq > seqs[turn - 1][at])).toEqual([true, true]);
    expect(await there.after('run', 0, 0)).toMatchObject({ progress: 0, stage: 'queued', ended: false });
    run.end();
    expect(jest.getTimerCount()).toBe(0);
  } finally {
    jest.useRealTimers();
  }
});

import { jest } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import type { Turn } from './fair-queue.js';
import { ThreadTasks, type ThreadTasksError } from './thread-tasks.js';

/** What the threads of these tests can do. */
interface Task {
  readonly say?: string;
  readonly note?: number;
  readonly waitMs?: number;
  readonly spin?: boolean;
  readonly fail?: string;
  readonly exit?: number;
  readonly count?: ArrayBuffer;
  readonly uncopied?: () => void;
}

interface Reply {
  readonly said?: string;
  readonly thread: number;
  readonly bytes?: number;
}

const SOURCE = `
  import { parentPort, threadId } from 'node:worker_threads';
  parentPort.on('message', ({ say, note, waitMs = 0, spin, fail, exit, count }) => {
    while (spin);
    if (fail) throw new Error(fail);
    if (exit !== undefined) process.exit(exit);
    if (note !== undefined) parentPort.postMessage({ note });
    const reply = { said: say, thread: threadId, bytes: count?.byteLength };
    setTimeout(() => parentPort.postMessage({ reply }), waitMs);
  });
`;
const thread = new URL(`data:text/javascript,${encodeURIComponent(SOURCE)}`);

let threads: ThreadTasks<Task, Reply, number>;
afterEach(() => threads.close());

function open({ threadsMax = 1, waitingMax = 8, taskMsMax = 10_000, idleMs = 60_000 } = {}): void {
  const counts = { threadsMax, waitingMax, taskMsMax, idleMs };
  threads = new ThreadTasks({ thread, tasks: 'tasks of a test', ...counts });
}

const codeOf = (run: Promise<unknown>): Promise<string> =>
  run.then(
    () => 'done',
    (error: ThreadTasksError) => error.code,
  );

it('answers every task with its own reply, in the order in which they came, on one warm thread', async () => {
  open();
  const replies = await Promise.all([20, 0, 10, 0].map((waitMs, i) => threads.run({ say: `${i}`, waitMs })));
  expect(replies.map(({ said }) => said)).toEqual(['0', '1', '2', '3']);
  expect(new Set(replies.map(reply => reply.thread)).size).toBe(1);
  expect((await threads.run({})).thread).toBe(replies[0].thread);
});

it('ends a thread that has nothing to do, and starts another for the next task', async () => {
  open({ idleMs: 1 });
  const first = (await threads.run({})).thread;
  while ((await threads.run({})).thread === first) await delay(5);
  // What takes longer than that is not idle.
  expect(await threads.run({ say: 'slow', waitMs: 30 })).toMatchObject({ said: 'slow' });
});

it('does the tasks of several in turns, those that go first before the rest', async () => {
  let turn = { subject: 'loud', isFirst: true };
  threads = new ThreadTasks({
    ...{ thread, tasks: 'tasks', threadsMax: 1, waitingMax: 8, taskMsMax: 10_000, turnOf: () => turn },
  });
  const order: string[] = [];
  const ask = (subject: string, isFirst: boolean) => {
    turn = { subject, isFirst };
    return threads.run({ say: subject }).then(({ said }) => order.push(said!));
  };
  const asked = [
    ask('free', false),
    ask('free', false),
    ...Array.from({ length: 6 }, () => ask('loud', true)),
  ];
  await Promise.all([...asked, ask('quiet', true)]);
  // The first one found the thread idle.
  expect(order.slice(0, 3).sort()).toEqual(['free', 'loud', 'quiet']);
  expect(order.at(-1)).toBe('free');
});

it('lets no task wait for a thread while there may be another', async () => {
  open({ threadsMax: 2 });
  const replies = await Promise.all([0, 1].map(() => threads.run({ waitMs: 50 })));
  const { availableParallelism } = await import('node:os');
  expect(new Set(replies.map(reply => reply.thread)).size).toBe(Math.min(2, availableParallelism()));
});

it('refuses a task beyond those that may wait, and takes the next once one is done', async () => {
  open({ waitingMax: 2 });
  const codes = Array.from({ length: 5 }, () => codeOf(threads.run({ waitMs: 5 })));
  expect(await Promise.all(codes)).toEqual(['done', 'done', 'done', 'BUSY', 'BUSY']);
  expect(await codeOf(threads.run({}))).toBe('done');
  await expect(Promise.all(Array.from({ length: 4 }, () => threads.run({})))).rejects.toMatchObject({
    name: 'ThreadTasksError',
    message: 'at most 2 tasks of a test wait',
  });
});

it('keeps a place for what is about to be paid for, and does what is paid for though all places are taken', async () => {
  let turn: Turn = { subject: 'one', isFirst: true, payment: 'claiming' };
  threads = new ThreadTasks({
    ...{ thread, tasks: 'tasks', threadsMax: 1, waitingMax: 2, taskMsMax: 10_000, turnOf: () => turn },
  });
  threads.requireRoom();
  turn = { subject: 'other', isFirst: true };
  const others = [1, 2, 3, 4].map(() => codeOf(threads.run({ waitMs: 5 })));
  expect(() => threads.requireRoom()).toThrow('at most 2 tasks wait');
  turn = { subject: 'one', isFirst: true, payment: 'claiming' };
  expect(() => threads.requireRoom()).toThrow('at most 2 tasks wait');
  turn = { ...turn, payment: 'settled' };
  const paid = [1, 2].map(() => codeOf(threads.run({})));
  expect(await Promise.all([...others, ...paid])).toEqual([
    ...['done', 'done', 'done', 'BUSY'],
    ...['done', 'done'],
  ]);
});

it('ends a thread that takes too long, fails its task alone, and goes on with what waits', async () => {
  open({ taskMsMax: 400 });
  const { thread: before } = await threads.run({});
  const stuck = threads.run({ spin: true });
  const next = threads.run({ say: 'next' });
  await expect(stuck).rejects.toMatchObject({
    code: 'TIME_LIMIT',
    message: 'one of the tasks of a test took longer than 400 ms',
  });
  const reply = await next;
  expect(reply.said).toBe('next');
  expect(reply.thread).not.toBe(before);
});

it('tells of a task what its thread says of it, and ends it at the time that it was given itself', async () => {
  open();
  const notes: number[] = [];
  const onNote = (note: number) => notes.push(note);
  await threads.run({ note: 0.5 }, { onNote });
  await threads.run({ note: 0.7 });
  expect(notes).toEqual([0.5]);
  const late = threads.run({ note: 0.9, waitMs: 60_000 }, { onNote, taskMsMax: 400 });
  await expect(late).rejects.toThrow('one of the tasks of a test took longer than 400 ms');
  expect(notes).toEqual([0.5, 0.9]);
});

it('ends a task that is given up, whether it waits or runs, and none that is done', async () => {
  open();
  const given = [new AbortController(), new AbortController(), new AbortController()];
  const [running, waiting, done] = given.map(({ signal }, i) =>
    threads.run({ spin: i === 0, say: 'done' }, { signal }),
  );
  given[1].abort(new Error('not wanted'));
  await expect(waiting).rejects.toThrow('not wanted');
  given[0].abort(new Error('wanted no more'));
  await expect(running).rejects.toThrow('wanted no more');
  const { thread: warm } = await done;
  given[2].abort(new Error('too late'));
  expect((await threads.run({})).thread).toBe(warm);
  await expect(threads.run({}, { signal: given[0].signal })).rejects.toThrow('wanted no more');
});

it('gives each task its own time, however long it waited', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  try {
    open({ taskMsMax: 400, idleMs: 100_000 });
    const tasks = Array.from({ length: 6 }, async () => {
      const code = await codeOf(threads.run({}));
      // What comes next has begun, or begins now: three quarters of its time pass.
      jest.advanceTimersByTime(300);
      return code;
    });
    expect(await Promise.all(tasks)).toEqual(Array.from({ length: 6 }, () => 'done'));
  } finally {
    jest.useRealTimers();
  }
});

it.each([
  [{ fail: 'a wheel came off' }, 'a thread for tasks of a test failed: a wheel came off'],
  [{ exit: 3 }, 'a thread for tasks of a test ended with code 3'],
])('fails the task of a thread that dies, %j, and starts another', async (task, message) => {
  open();
  const dying = threads.run(task);
  const next = threads.run({ say: 'alive' });
  await expect(dying).rejects.toMatchObject({ code: 'FAILED', message });
  expect((await next).said).toBe('alive');
});

it('fails a task whose thread cannot be started', async () => {
  threads = new ThreadTasks({
    ...{ thread: new URL('file:///nowhere/there-is-no-thread.js'), tasks: 'tasks', threadsMax: 1 },
    ...{ waitingMax: 1, taskMsMax: 10_000 },
  });
  expect(await codeOf(threads.run({}))).toBe('FAILED');
});

it('refuses a task that cannot be copied, and holds no thread for it', async () => {
  open({ waitingMax: 1 });
  for (let i = 0; i < 3; i++) {
    await expect(threads.run({ uncopied: () => undefined })).rejects.toThrow('could not be cloned');
  }
  expect(await codeOf(threads.run({}))).toBe('done');
});

it('copies what a task holds, and hands over what it is told to', async () => {
  open();
  const [kept, given] = [new ArrayBuffer(1 << 20), new ArrayBuffer(1 << 20)];
  expect(await threads.run({ count: kept })).toMatchObject({ bytes: 1 << 20 });
  expect(await threads.run({ count: given }, { transfer: [given] })).toMatchObject({ bytes: 1 << 20 });
  expect([kept.byteLength, given.byteLength]).toEqual([1 << 20, 0]);
});

it('refuses what runs, what waits and what comes after, once it is closed', async () => {
  open();
  const codes = [{ spin: true }, {}, {}].map(task => codeOf(threads.run(task)));
  await threads.close();
  expect(await Promise.all(codes)).toEqual(['CLOSED', 'CLOSED', 'CLOSED']);
  await expect(threads.run({})).rejects.toThrow('the threads for tasks of a test were closed');
});

it('keeps little of the buffers that came with tasks', async () => {
  const source = `
    import { answerTasks } from '${new URL('../../dist/node/index.js', import.meta.url).href}';
    import { getHeapStatistics } from 'node:v8';
    answerTasks(() => getHeapStatistics().external_memory);
  `;
  const measuring = new ThreadTasks<Uint8Array, number>({
    ...{ thread: new URL(`data:text/javascript,${encodeURIComponent(source)}`), tasks: 'buffers' },
    ...{ threadsMax: 1, waitingMax: 1, taskMsMax: 10_000 },
  });
  try {
    const held: number[] = [];
    for (let i = 0; i < 48; i++) {
      const task = new Uint8Array(2 ** 21);
      held.push(await measuring.run(task, { transfer: [task.buffer] }));
    }
    expect(Math.max(...held)).toBeLessThan(2 ** 25);
  } finally {
    await measuring.close();
  }
});

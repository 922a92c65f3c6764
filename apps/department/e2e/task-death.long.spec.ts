// commit: none, only the end of a worker process shows it; see ./tasks.e2e.spec.ts
// watches: libs/platform/src/messaging
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { findNatsServer, problem } from '@svc/platform';
import { setTimeout as delay } from 'node:timers/promises';
import type { PaymentsScript } from './payments-stand-in.js';
import { mustBeBuilt, WorkerProcesses } from './worker-processes.js';

const TASKS = 40;
const KILLS = 2;
const binary = await findNatsServer();

let processes: WorkerProcesses;
let payments: PaymentsScript;
let effectsBefore = 0;

/** What the tasks of this test have done: effects, and how often each ran. */
const effects = () => [...payments.effects.values()].slice(effectsBefore);

const startAll = async () => {
  await mustBeBuilt();
  processes = await WorkerProcesses.start(binary!);
  payments = processes.payments;
};
const afterOne = () => {
  payments.beforeTool = payments.beforeSettling = payments.afterSettling = async () => undefined;
  processes.snn.beforeWork = async () => undefined;
  effectsBefore = payments.effects.size;
};

async function losesNoneAtRandom(): Promise<void> {
  await processes.add();
  let isOver = false;
  // a fixed wait: a tool takes its time, so that kills fall into its work
  payments.beforeTool = () => delay(20);
  const killing = (async () => {
    for (let kills = 0; !isOver && kills < KILLS; kills++) {
      // a fixed wait: each kill falls later into the work than the one before
      await delay(300 + 500 * kills);
      await processes.endOne(kills, 'SIGKILL');
      await processes.add();
    }
  })();
  const submitted = await Promise.all(Array.from({ length: TASKS }, () => processes.submit()));
  const done = await Promise.all(submitted.map(({ taskId }) => processes.ended(taskId)));
  isOver = true;
  await killing;
  const expected = submitted.map(() => 'COMPLETED delivered');
  expect(done.map(({ status, payment }) => `${status} ${payment}`)).toEqual(expected);
  expect(submitted.map(({ claim }) => payments.of(claim).moves)).toEqual(submitted.map(() => 1));
  expect(effects().map(({ runs, revoked }) => [runs, revoked])).toEqual(submitted.map(() => [1, false]));
  const [{ left }] = await processes.database.query(
    `SELECT count(*)::int AS left FROM task
      WHERE state IN ('QUEUED', 'RUNNING', 'SETTLING') OR sealed_order IS NOT NULL`,
  );
  expect(left).toBe(0);
}

async function givesBack(): Promise<void> {
  let calls = 0;
  let letGo = () => undefined as void;
  const gate = new Promise<void>(resolve => (letGo = resolve));
  // The first run is given up with its worker.
  payments.beforeTool = () => (calls++ === 0 ? gate : Promise.resolve());
  const { taskId, claim } = await processes.submit();
  while (calls === 0) await delay(20);
  const closing = processes.endAll('SIGTERM');
  await processes.add();
  await closing;
  expect(await processes.ended(taskId)).toMatchObject({ status: 'COMPLETED', payment: 'delivered' });
  expect(payments.of(claim).moves).toBe(1);
  const [{ begins }] = await processes.database.query('SELECT begins FROM task WHERE task_id = $1', [taskId]);
  expect(begins).toBe(1);
  letGo();
}

if (binary === undefined) it('needs nats-server', () => console.log('SKIPPED: nats-server is not installed'));
else
  describe('a worker that ends', () => {
    beforeAll(startAll);
    afterAll(() => processes?.close());
    afterEach(afterOne);

    it.each<[string, (payments: PaymentsScript, kill: () => Promise<void>) => void]>([
      ['its work has begun', (script, kill) => (script.beforeTool = kill)],
      [
        'its answer is recorded, and its payment is not settled',
        (script, kill) => (script.beforeSettling = kill),
      ],
      [
        'its payment is booked, and it has not heard of that',
        (script, kill) => (script.afterSettling = kill),
      ],
    ])('by SIGKILL loses no task, and does none twice to a visible effect: as %s', async (_moment, at) => {
      at(payments, processes.replacingOnce());
      const { taskId, claim } = await processes.submit();
      expect(await processes.ended(taskId)).toMatchObject({ status: 'COMPLETED', payment: 'delivered' });
      expect(payments.of(claim)).toMatchObject({ state: 'delivered', moves: 1 });
      expect(effects()).toMatchObject([{ runs: 1, revoked: false }]);
    });

    it.each<[string, (script: WorkerProcesses, kill: () => Promise<void>) => void]>([
      [
        'it computes what will fail',
        ({ snn }, kill) => {
          const fails = snn.beforeWork;
          snn.beforeWork = async callId => {
            await kill();
            await fails(callId);
          };
        },
      ],
      ['its count is to be taken back', ({ payments: script }, kill) => (script.beforeSettling = kill)],
      [
        'its count is taken back, and it has not heard of that',
        ({ payments: script }, kill) => (script.afterSettling = kill),
      ],
    ])(
      'by SIGKILL takes back once what was counted of a task without an answer: as %s',
      async (_moment, at) => {
        processes.snn.beforeWork = async () => {
          throw problem('UNPROCESSABLE', 'cannot be simulated');
        };
        at(processes, processes.replacingOnce());
        const taskId = await processes.submitCounted();
        expect(await processes.ended(taskId, 'neuro')).toMatchObject({
          status: 'FAILED',
          payment: 'returned',
        });
        expect(payments.uncounted.get(taskId)).toMatchObject({ takenBack: 1 });
      },
    );

    it('by SIGTERM gives back at once what it does, and another one does it', givesBack);

    it(`by SIGKILL at random loses none of ${TASKS} tasks, and each is paid once`, losesNoneAtRandom);
  });

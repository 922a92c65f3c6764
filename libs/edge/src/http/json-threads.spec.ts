import { afterEach, expect, it } from '@jest/globals';
import { JsonThreads } from './json-threads.js';

const SOURCE = `
  import { parentPort } from 'node:worker_threads';
  const look = { depth: 1, members: 1, containers: 1, values: 2, mayOverflow: false };
  parentPort.on('message', ({ bytes, shape }) =>
    parentPort.postMessage({ reply: shape ? { reading: { value: bytes.length } } : { bytes, shape: look } }));
`;
const thread = new URL(`data:text/javascript,${encodeURIComponent(SOURCE)}`);

let threads: JsonThreads;
afterEach(() => threads.close());

it('are asked in turns, so that neither one caller nor several that fill them keep another out or waiting', async () => {
  threads = new JsonThreads({ thread, threadsMax: 1, waitingMax: 16 });
  const order: string[] = [];
  const read = (subject: string) =>
    threads
      .read(Buffer.from([1]), subject, async () => undefined)
      .then(
        () => order.push(subject),
        (error: { code: string }) => error.code,
      );
  const asked = ['loud', 'louder', 'loudest'].flatMap(subject =>
    Array.from({ length: 40 }, () => read(subject)),
  );
  asked.push(read('quiet'));
  const outcomes = await Promise.all(asked);
  expect(outcomes.filter(outcome => outcome === 'OVERLOADED').length).toBeGreaterThan(80);
  // Behind the one that was under way, and one of each other at most.
  expect(order.indexOf('quiet')).toBeGreaterThanOrEqual(0);
  expect(order.indexOf('quiet')).toBeLessThanOrEqual(4);
  expect(order.filter(subject => subject === 'loud').length).toBeGreaterThanOrEqual(16);
});

it('read no text whose cost is refused', async () => {
  threads = new JsonThreads({ thread, threadsMax: 1 });
  const refusal = new Error('beyond the allowance');
  const told: number[] = [];
  const take = (values: number) => {
    told.push(values);
    return values > 10 ? Promise.reject(refusal) : Promise.resolve();
  };
  await expect(threads.read(Buffer.from([1]), 'caller', take)).rejects.toBe(refusal);
  expect(told).toEqual([12]);
});

import { afterEach, expect, it } from '@jest/globals';
import { JsonThreads } from './json-threads.js';

const SOURCE = `
  import { parentPort } from 'node:worker_threads';
  parentPort.on('message', bytes => parentPort.postMessage({ reading: { value: bytes.length }, values: 1 }));
`;
const thread = new URL(`data:text/javascript,${encodeURIComponent(SOURCE)}`);

let threads: JsonThreads;
afterEach(() => threads.close());

it('are asked in turns, so that neither one caller nor several that fill them keep another out or waiting', async () => {
  threads = new JsonThreads({ thread, threadsMax: 1, waitingMax: 16 });
  const order: string[] = [];
  const read = (subject: string) =>
    threads.read(Buffer.from([1]), subject).then(
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

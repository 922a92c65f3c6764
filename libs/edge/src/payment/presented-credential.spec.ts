import { describe, expect, it } from '@jest/globals';
import type { IncomingMessage } from 'node:http';
import { readCredential } from './presented-credential.js';

const read = (name: string, value: string) => {
  try {
    return readCredential({ rawHeaders: [name, value], headers: {} } as unknown as IncomingMessage).payment;
  } catch (error) {
    return (error as Error).message;
  }
};
const cpuMs = (work: () => void) => {
  const begun = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1_000;
};

describe('a header that pays', () => {
  it.each([
    ['L402 a:b', 'a:b'],
    ['  LSAT   a:b  ', 'a:b'],
    ['L402\ta b\t', 'a b'],
  ])('%j is read as its scheme and the rest', (line, value) => {
    expect(read('Authorization', line)).toEqual({ scheme: 'L402', value });
  });

  it.each([
    ['Authorization', 'L402 x', ' ', 'y'],
    ['Authorization', 'L402 ', '=', 'y'],
    ['Authorization', 'bearer svc_', ' ', 'y'],
    ['Payment-Credential', 'SPT x', '\t', 'y'],
    ['X-Payment', '', ' ', 'y'],
    ['Authorization', 'L402 ', 'a:', 'b,'],
  ])(
    '%s: %j and %j over and over is read in time that grows with its length',
    (name, before, filler, end) => {
      const line = before + filler.repeat(31_000 / filler.length) + end;
      // Once through each character for each of a hundred reads: what is quadratic takes a thousand times as long.
      let sum = 0;
      const once = cpuMs(() => {
        for (let turn = 0; turn < 100; turn++)
          for (let i = 0; i < line.length; i++) sum += line.charCodeAt(i);
      });
      expect(sum).toBeGreaterThan(0);
      const reads = cpuMs(() => {
        for (let turn = 0; turn < 5; turn++) read(name, line);
      });
      expect(reads).toBeLessThan(20 + 50 * once);
    },
  );
});

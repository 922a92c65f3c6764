import { beforeEach, describe, expect, test } from '@jest/globals';
import { ProblemError } from '@svc/platform';
import type { McpExchange } from '../src/mcp/mcp-exchange.js';
import { McpSessions, newSession } from '../src/mcp/mcp-sessions.js';

const EXCHANGES_MAX = 2_048;
const EXCHANGE = {} as McpExchange;

let sessions: McpSessions;
beforeEach(() => {
  sessions = new McpSessions();
});

const begin = (address: string) => sessions.begin(address);

/** Begins requests of an address until one is refused: those that were begun, and the refusal. */
function fill(address: string): { ends: (() => void)[]; refusal: ProblemError } {
  const ends: (() => void)[] = [];
  for (;;) {
    try {
      ends.push(begin(address));
    } catch (error) {
      return { ends, refusal: error as ProblemError };
    }
  }
}

describe('requests in flight', () => {
  test('of one address are an eighth of those that the others leave; another still gets in', () => {
    const { ends, refusal } = fill('192.0.2.1');
    expect(ends).toHaveLength(EXCHANGES_MAX / 8);
    expect([refusal.code, refusal.message]).toEqual([
      'RATE_LIMITED',
      expect.stringContaining('256 requests are in flight from this address, whose bound is 256 now'),
    ]);
    // What has ended is free for the same address again.
    ends.pop()!();
    begin('192.0.2.1');
    expect(() => begin('192.0.2.1')).toThrow(ProblemError);
    expect(fill('192.0.2.2').ends).toHaveLength(224);
  });

  test('are 2,048 in all: beyond them every caller gets 503, and not 429', () => {
    const begun: (() => void)[] = [];
    for (let address = 0; begun.length < EXCHANGES_MAX; address++)
      begun.push(...fill(`host-${address}`).ends);
    for (const address of ['host-0', 'another']) {
      expect(fill(address).refusal).toMatchObject({
        code: 'OVERLOADED',
        message: expect.stringContaining('2048'),
      });
    }
    begun.pop()!();
    begin('another');
  });

  test('that are refused for their id have no place', () => {
    const session = newSession(false);
    sessions.begin('192.0.2.1', { session, id: 7, exchange: EXCHANGE });
    for (let i = 0; i < 10; i++)
      expect(() => sessions.begin('192.0.2.1', { session, id: 7, exchange: EXCHANGE })).toThrow('in flight');
    expect(fill('192.0.2.1').ends).toHaveLength(EXCHANGES_MAX / 8 - 1);
  });
});

import { describe, expect, it } from '@jest/globals';
import { createLogger } from '../observability/logger.js';
import { MemoryEventLog, MemoryEvents } from './event-memory.js';
import { itKeepsTheEventStreamContract } from './event-stream.contract.js';
import { subjectMatches } from './event-subject.js';

const logger = createLogger('payments', { level: 'silent' });

describe('events in process', () => {
  itKeepsTheEventStreamContract(async () => {
    const log = new MemoryEventLog();
    return { open: async () => new MemoryEvents(log, logger) };
  });

  it('discards the oldest beyond its size, and a consumer that is behind goes on with what is there', async () => {
    const log = new MemoryEventLog();
    log.bytesMax = 10 * (256 + 100);
    const stream = new MemoryEvents(log, logger);
    for (let i = 0; i < 1_000; i++) {
      await stream.publish({ subject: 'events.a', id: String(i), data: new Uint8Array(100) });
      expect(log.sizeBytes).toBeLessThanOrEqual(log.bytesMax);
    }
    const seen: string[] = [];
    const subscription = await stream.subscribe({ filter: 'events.a', durable: 'd' }, async ({ id }) => {
      seen.push(id);
    });
    while (seen.length < 10) await new Promise(resolve => setTimeout(resolve, 1));
    await subscription.stop();
    expect(seen).toEqual(Array.from({ length: 10 }, (_, i) => String(990 + i)));
  });

  it('knows an id again for ten minutes, and forgets events after seven days', async () => {
    let nowMs = 0;
    const log = new MemoryEventLog(() => nowMs);
    const event = { subject: 'events.a', id: 'x', data: new Uint8Array(0) };
    log.append(event);
    const one = log.sizeBytes;
    nowMs = 10 * 60_000 - 1;
    log.append(event);
    expect(log.sizeBytes).toBe(one);
    nowMs += 1;
    log.append(event);
    expect(log.sizeBytes).toBe(2 * one);
    nowMs += 7 * 24 * 3_600_000;
    log.append({ ...event, id: 'y' });
    expect(log.sizeBytes).toBe(2 * one);
    nowMs += 1;
    log.append({ ...event, id: 'z' });
    expect(log.sizeBytes).toBe(2 * one);
  });

  it('matches subjects as NATS does', () => {
    const cases: [string, string, boolean][] = [
      ['events.>', 'events.a', true],
      ['events.>', 'events', false],
      ['events.*', 'events.a', true],
      ['events.*', 'events.a.b', false],
      ['events.a', 'events.a.b', false],
      ['events.a.b', 'events.a', false],
      ['events.*.b', 'events.a.b', true],
    ];
    for (const [filter, subject, expected] of cases)
      expect([filter, subject, subjectMatches(filter, subject)]).toEqual([filter, subject, expected]);
  });
});

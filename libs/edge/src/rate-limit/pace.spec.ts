import { Pace, paceOf, paceOfAnswer, PROMPT_MS, WAIT_MS_MAX } from './pace.js';

describe('the pace of a caller', () => {
  let nowMs = 0;
  const pace = new Pace(() => nowMs);

  it('lets what comes at once go on at once, and spaces what is beyond it by what it takes', () => {
    const waits = Array.from({ length: 40 }, () => pace.take('a', 8));
    expect(waits.slice(0, 17)).toEqual(Array(17).fill(0));
    expect(waits.slice(17)).toEqual(Array.from({ length: 23 }, (_, i) => 8 * (i + 1)));
    expect(pace.take('b', 8)).toBe(0);
  });

  it('waits for nothing once what was begun is over, and forgets who has gone', () => {
    nowMs += 40 * 8;
    expect(pace.take('c', 8)).toBe(0);
    expect(pace.size).toBe(1);
    expect(pace.take('a', 8)).toBe(0);
  });

  it('refuses who would wait too long, and counts nothing of it', () => {
    nowMs += 1_000;
    for (let taken = 0; taken <= WAIT_MS_MAX + PROMPT_MS; taken += 1_000)
      expect(pace.take('d', 1_000)).toBeDefined();
    for (let turn = 0; turn < 3; turn++) expect(pace.take('d', 1_000)).toBeUndefined();
    nowMs += 1_000;
    expect(pace.take('d', 1_000)).toBeGreaterThan(WAIT_MS_MAX - 1_000);
  });

  it('lets the next call wait for what those before turned out to take', () => {
    expect(pace.take('e', 1)).toBe(0);
    pace.add('e', PROMPT_MS + 99);
    expect(pace.take('e', 1)).toBe(100);
    pace.add('e', 10 * WAIT_MS_MAX);
    expect(pace.take('e', 1)).toBeUndefined();
    expect(paceOfAnswer(1_048_576)).toBe(64);
  });

  it('takes a call of 32 KiB for twice one that sends nothing', () => {
    expect(paceOf(32_768)).toBe(2 * paceOf(0));
  });
});

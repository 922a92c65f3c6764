import { describe, expect, it } from '@jest/globals';
import type { KeyHolder } from '@svc/contracts';
import { problem } from '@svc/platform';
import { KnownKeys } from './known-keys.js';

const ALICE = { accountId: 'acct_alice', plan: 'developer' } as KeyHolder;
const [ALICES, MALLORY] = ['svc_test_alice', '192.0.2.66'];
const madeUp = (number: number) => `svc_test_made_up_${number}`;

/** Keys, what was asked about them, and how each question is answered. */
function keysUnderTest() {
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  const keys = new KnownKeys(
    accountKey =>
      new Promise((resolve, reject) => {
        asked.push(accountKey);
        answers.push(() =>
          accountKey.startsWith('svc_test_made_up')
            ? reject(problem('UNKNOWN_CREDENTIAL', 'no key of ours'))
            : resolve(ALICE),
        );
      }),
  );
  const answerAll = async () => {
    for (const answer of answers.splice(0)) answer();
    await new Promise(resolve => setImmediate(resolve));
  };
  return { keys, asked, answerAll };
}

describe('keys that were seen lately', () => {
  it('are asked for once, whether they are good or not', async () => {
    const { keys, asked, answerAll } = keysUnderTest();
    for (let turn = 0; turn < 3; turn++) {
      expect(keys.holderOf(ALICES, '192.0.2.1')).toBe(turn === 0 ? undefined : ALICE);
      expect(keys.holderOf(madeUp(1), MALLORY)).toBeUndefined();
      await answerAll();
    }
    expect(asked).toEqual([ALICES, madeUp(1)]);
  });

  it('are not displaced by keys that somebody makes up, however many', async () => {
    const { keys, asked, answerAll } = keysUnderTest();
    keys.holderOf(ALICES, '192.0.2.1');
    await answerAll();
    for (let number = 0; number < 10_100; number++) {
      keys.holderOf(madeUp(number), MALLORY);
      await answerAll();
    }
    expect(keys.holderOf(ALICES, '192.0.2.1')).toBe(ALICE);
    expect(asked.filter(key => key === ALICES)).toHaveLength(1);
  });

  it('are forgotten in the order in which they were last shown', async () => {
    const { keys, asked, answerAll } = keysUnderTest();
    for (let number = 0; number < 10_005; number++) {
      keys.holderOf(ALICES, '192.0.2.1');
      keys.holderOf(`svc_test_good_${number}`, '192.0.2.2');
      await answerAll();
    }
    expect(keys.holderOf(ALICES, '192.0.2.1')).toBe(ALICE);
    expect(keys.holderOf('svc_test_good_0', '192.0.2.2')).toBeUndefined();
    expect(asked.filter(key => key === ALICES)).toHaveLength(1);
  });

  it('are learnt beside a flood of strange ones, of which each address has its share', async () => {
    const { keys, asked, answerAll } = keysUnderTest();
    for (let number = 0; number < 100; number++) keys.holderOf(madeUp(number), MALLORY);
    expect(asked).toHaveLength(4);
    for (let number = 0; number < 1_000; number++) keys.holderOf(madeUp(number), `192.0.2.${number % 10}`);
    keys.holderOf(ALICES, '203.0.113.1');
    expect(asked).toContain(ALICES);
    await answerAll();
    expect(keys.holderOf(ALICES, '203.0.113.1')).toBe(ALICE);
    for (let number = 200; number < 300; number++) keys.holderOf(madeUp(number), MALLORY);
    expect(asked.slice(asked.indexOf(ALICES) + 1)).toHaveLength(4);
  });
});

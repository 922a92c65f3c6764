import { describe, expect, test } from '@jest/globals';
import { priceOf } from '@svc/protocols';
import { Purses, type UnsoldRun } from './purses.js';

const PRICE = priceOf('tool.get_product_catalog');
const DEAR = priceOf('agent.coi-verify');
const purse = (balanceMicroUsd: number, quotaCalls = 0, accountId = 'acct_1') => ({
  ...{ accountId, balanceMicroUsd, quotaCalls },
});

describe('purses', () => {
  function begun() {
    let nowMs = 0;
    const purses = new Purses(() => nowMs);
    const begin = (request: string, key = 'key', price = PRICE) => purses.begin(key, price, request);
    return { purses, begin, pass: (ms: number) => (nowMs += ms) };
  }

  test('let nothing run for a key that has not paid here', () => {
    const { begin } = begun();
    expect(begin('a')).toBeUndefined();
  });

  test('let as much run at once as the balance pays, and go on with what a sale has left', () => {
    const { purses, begin } = begun();
    purses.remember('key', purse(2_500));
    const [first, second] = [begin('a'), begin('b')] as UnsoldRun[];
    expect([first.accountId, second.accountId, begin('c')]).toEqual(['acct_1', 'acct_1', undefined]);
    second.end();
    expect(begin('c')).toBeDefined();
    first.end(purse(1_999));
    // One of two runs for what is left.
    expect(begin('d')).toBeUndefined();
  });

  test('count the requests that a plan has left beside the balance, for what they cover', () => {
    const { purses, begin } = begun();
    purses.remember('key', purse(0, 2));
    expect(begin('dear', 'key', DEAR)).toBeUndefined();
    expect([begin('a'), begin('b'), begin('c')].map(run => run !== undefined)).toEqual([true, true, false]);
  });

  test('let a key with a cap run what that leaves, and what it may pay for, beside others of its account', () => {
    const { purses, begin } = begun();
    const cap = { capMicroUsd: 3_500, spentMicroUsd: 1_000 };
    purses.remember('capped', { ...purse(100_000), limits: { cap, operations: ['tool.*'] } });
    purses.remember('whole', purse(100_000));
    expect(begin('other', 'capped', priceOf('zk.prove'))).toBeUndefined();
    const [first, second, third] = ['a', 'b', 'c'].map(request => begin(request, 'capped'));
    expect([first !== undefined, second !== undefined, third]).toEqual([true, true, undefined]);
    expect(begin('d', 'whole')).toBeDefined();
    const limits = { cap: { ...cap, spentMicroUsd: 3_000 } };
    (first as UnsoldRun).end({ ...purse(99_000), limits });
    (second as UnsoldRun).end();
    expect(begin('e', 'capped')).toBeUndefined();
  });

  test('let no more than 32 run of an account, and none of a key that is forgotten', () => {
    const { purses, begin } = begun();
    purses.remember('key', purse(0, Number.MAX_SAFE_INTEGER));
    purses.remember('other', purse(0, Number.MAX_SAFE_INTEGER));
    const runs = Array.from({ length: 33 }, (_, i) => begin(String(i)));
    expect(runs.filter(run => run !== undefined)).toHaveLength(32);
    (runs[0] as UnsoldRun).end();
    purses.forget('key');
    expect([begin('a'), begin('a', 'other') !== undefined]).toEqual([undefined, true]);
  });

  test('know whose a key is for a minute after it paid, whatever other keys of its account pay', () => {
    const { purses, pass } = begun();
    purses.remember('key', purse(0));
    pass(59_999);
    purses.remember('other', purse(0));
    expect(['key', 'other', 'third'].map(key => purses.accountOf(key))).toEqual([
      'acct_1',
      'acct_1',
      undefined,
    ]);
    pass(1);
    expect(['key', 'other'].map(key => purses.accountOf(key))).toEqual([undefined, 'acct_1']);
    purses.forget('other');
    expect(purses.accountOf('other')).toBeUndefined();
  });

  test('are of an account, whichever of its keys is shown', () => {
    const { purses, begin } = begun();
    purses.remember('one', purse(1_000));
    purses.remember('two', purse(1_000));
    expect(begin('a', 'one')).toBeDefined();
    expect(begin('b', 'two')).toBeUndefined();
    expect(begin('a', 'two')).toBe('running');
  });

  test('let one of equal requests run at a time', () => {
    const { purses, begin } = begun();
    purses.remember('key', purse(10_000));
    const run = begin('a') as UnsoldRun;
    expect(begin('a')).toBe('running');
    run.end(purse(9_000));
    expect(begin('a')).toBeDefined();
  });

  test('are forgotten after a minute, and closed for a minute by a pause', () => {
    const { purses, begin, pass } = begun();
    purses.remember('key', purse(10_000));
    pass(59_999);
    expect(begin('a')).toBeDefined();
    pass(1);
    expect(begin('b')).toBeUndefined();
    purses.remember('key', purse(10_000));
    purses.pause('key');
    purses.remember('key', purse(10_000));
    expect(begin('b')).toBeUndefined();
    pass(60_000);
    purses.remember('key', purse(10_000));
    expect(begin('b')).toBeDefined();
  });
});

import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { runInTurn } from '@svc/platform';
import { QuestionPlaces, SharedQuestions } from './shared-questions.js';

const BOUNDS = { name: 'things', atOnceMax: 8, parts: 4, waitingMax: 16, waitMsMax: 5_000 };
const OVERLOADED = { payload: { code: 'OVERLOADED', retryAfterSeconds: 1 } };
const soon = async () => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

/** Questions that are answered one by one, as a test says. */
function asking(places: QuestionPlaces) {
  const open: { of: string; answer: () => void }[] = [];
  const ask = (of: string) =>
    runInTurn({ subject: of, standing: 'later' }, () =>
      places.ask(() => new Promise<string>(resolve => open.push({ of, answer: () => resolve(of) }))),
    );
  const names = () => open.map(({ of }) => of).join('');
  const answerOne = async (of: string) => {
    const [found] = open.splice(
      open.findIndex(each => each.of === of),
      1,
    );
    found.answer();
    await soon();
  };
  return { ask, names, answerOne };
}

afterEach(() => {
  jest.useRealTimers();
});

describe('places for questions', () => {
  it('are a part of what the others leave for each caller, so that they are full for hardly anybody', async () => {
    const { ask, names } = asking(new QuestionPlaces(BOUNDS));
    for (const who of 'aaabbbccc') void ask(who).catch(() => undefined);
    await soon();
    expect(names()).toBe('aabbc');
    for (const who of 'dddee') void ask(who).catch(() => undefined);
    await soon();
    expect(names()).toBe('aabbcde');
  });

  it('go round: who has none under way does not wait behind all of another’s', async () => {
    const { ask, names, answerOne } = asking(new QuestionPlaces({ ...BOUNDS, atOnceMax: 1, parts: 1 }));
    for (const who of 'aaaabbc') void ask(who);
    await soon();
    const order = [];
    for (let turn = 0; turn < 7; turn++) {
      order.push(names());
      await answerOne(names());
    }
    expect(order.join('')).toBe('aabcaba');
  });

  it('are given back by what fails, and nothing is left of callers that have none', async () => {
    const places = new QuestionPlaces(BOUNDS);
    for (let turn = 0; turn < 20; turn++)
      await expect(places.ask(() => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect((places as unknown as { callers: Map<string, unknown> }).callers.size).toBe(0);
  });

  it('are waited for by so many of one caller as its half, and by others still', async () => {
    const { ask } = asking(new QuestionPlaces(BOUNDS));
    for (let turn = 0; turn < 2 + 8; turn++) void ask('a').catch(() => undefined);
    await expect(ask('a')).rejects.toMatchObject(OVERLOADED);
    for (let turn = 0; turn < 2 + 4; turn++) void ask('b').catch(() => undefined);
    await expect(ask('b')).rejects.toMatchObject(OVERLOADED);
  });

  it('are not waited for longer than is worth while, and whoever has gone is not asked for', async () => {
    jest.useFakeTimers();
    const { ask, names, answerOne } = asking(new QuestionPlaces(BOUNDS));
    for (const who of 'aa') void ask(who);
    const late = ask('a');
    const refused = expect(late).rejects.toMatchObject(OVERLOADED);
    jest.advanceTimersByTime(BOUNDS.waitMsMax);
    await refused;
    jest.useRealTimers();
    await answerOne('a');
    await answerOne('a');
    expect(names()).toBe('');
  });
});

describe('questions that many ask', () => {
  const shared = (remembers: (outcome: object) => boolean) => {
    let nowMs = 1;
    let count = 0;
    const options = { rememberedMs: 2_000, remembers, now: () => nowMs };
    const questions = new SharedQuestions<number>(new QuestionPlaces(BOUNDS), options);
    return {
      ask: (key: string, answer?: () => number) =>
        questions.ask(key, async () => {
          count++;
          await soon();
          return answer ? answer() : count;
        }),
      asked: () => count,
      pass: (ms: number) => (nowMs += ms),
    };
  };

  it('at once are one question, and its answer is all of theirs', async () => {
    const { ask, asked } = shared(() => false);
    expect(await Promise.all(Array.from({ length: 100 }, () => ask('one')))).toEqual(Array(100).fill(1));
    expect([asked(), await ask('one')]).toEqual([1, 2]);
  });

  it('again are given what was found, until its time is over', async () => {
    const { ask, asked, pass } = shared(() => true);
    for (let turn = 0; turn < 50; turn++) expect(await ask('one')).toBe(1);
    pass(1_999);
    expect(await ask('one')).toBe(1);
    expect(await ask('two')).toBe(2);
    pass(2);
    expect([await ask('one'), asked()]).toEqual([3, 3]);
  });

  it('that failed are failed again where that is remembered, and asked anew where it is not', async () => {
    const { ask, asked } = shared(outcome => 'error' in outcome);
    const fail = () => {
      throw new Error('away');
    };
    for (let turn = 0; turn < 5; turn++) await expect(ask('one', fail)).rejects.toThrow('away');
    expect(asked()).toBe(1);
    const other = shared(outcome => 'answer' in outcome);
    for (let turn = 0; turn < 5; turn++) await expect(other.ask('one', fail)).rejects.toThrow('away');
    expect(other.asked()).toBe(5);
  });
});

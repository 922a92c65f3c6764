import { runInTurn } from './caller-turn.js';
import { KeptResults } from './kept-results.js';

describe('KeptResults', () => {
  let made: string[];
  const make = (name: string) => () => Promise.resolve(made.push(name)).then(() => name);
  beforeEach(() => {
    made = [];
  });

  it('works out once what is asked for while it is under way, and again', async () => {
    const kept = new KeptResults<string>(2);
    expect(await Promise.all([kept.get('a', make('a')), kept.get('a', make('a'))])).toEqual(['a', 'a']);
    expect(await kept.get('a', make('a'))).toBe('a');
    expect(made).toEqual(['a']);
  });

  it('keeps so many, and lets go of what was asked for longest ago', async () => {
    const kept = new KeptResults<string>(2);
    for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) await kept.get(name, make(name));
    expect(made).toEqual(['a', 'b', 'c', 'b']);
  });

  it('lets go of what the caller with the most has asked for, and of no other', async () => {
    const kept = new KeptResults<string>(4);
    const by = (subject: string, name: string) =>
      runInTurn({ subject, standing: 'later' }, () => kept.get(name, make(name)));
    await by('payer', 'a');
    for (let i = 0; i < 8; i++) await by('stranger', `s${i}`);
    await by('payer', 'a');
    await by('stranger', 's7');
    await by('stranger', 's0');
    expect(made).toEqual(['a', 's0', 's1', 's2', 's3', 's4', 's5', 's6', 's7', 's0']);
  });

  it('keeps no refusal, and none that came late takes a newer result with it', async () => {
    const kept = new KeptResults<string>(2);
    let refuse: (reason: Error) => void = () => undefined;
    const late = kept.get('a', () => new Promise((_, reject) => (refuse = reject)));
    await kept.get('b', make('b'));
    await kept.get('c', make('c'));
    await kept.get('a', make('a'));
    refuse(new Error('busy'));
    await expect(late).rejects.toThrow('busy');
    await kept.get('a', make('a'));
    expect(made).toEqual(['b', 'c', 'a']);
    await expect(kept.get('d', () => Promise.reject(new Error('busy')))).rejects.toThrow('busy');
    expect(await kept.get('d', make('d'))).toBe('d');
  });
});

import { SilentReplicas } from './silent-replicas.js';

describe('replicas that are not heard', () => {
  let nowMs = 0;
  const newReplicas = (presenceTtlMs = 60_000) => new SilentReplicas(presenceTtlMs, () => nowMs);

  it('are gone when they were heard at no look for eight seconds', () => {
    const replicas = newReplicas();
    const seen = [0, 5_000, 7_999, 8_000].map(atMs => {
      nowMs = atMs;
      return replicas.unheard('a');
    });
    expect(seen).toEqual([false, false, false, true]);
  });

  it('are gone sooner where presences do not live so long', () => {
    const replicas = newReplicas(1_000);
    nowMs = 0;
    expect(replicas.unheard('a')).toBe(false);
    nowMs = 1_000;
    expect([replicas.unheard('a'), replicas.unheard('b')]).toEqual([true, false]);
  });

  it('begin anew when they are heard, and when nobody has looked for long', () => {
    const replicas = newReplicas();
    nowMs = 0;
    replicas.unheard('heard');
    replicas.unheard('not looked at');
    nowMs = 5_000;
    replicas.heard('heard');
    nowMs = 10_000;
    expect(replicas.unheard('heard')).toBe(false);
    nowMs = 15_001;
    expect(replicas.unheard('not looked at')).toBe(false);
  });
});

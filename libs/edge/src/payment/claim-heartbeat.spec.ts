import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ClaimHandle } from '@svc/contracts';
import type { BusClient } from '@svc/platform';
import { randomUUID } from 'node:crypto';
import { ClaimHeartbeat } from './claim-heartbeat.js';

const EVERY_MS = 4;
const handle = (attempt = 1): ClaimHandle => ({ claimId: randomUUID(), attempt });

/** Payments that hold what they are told to. */
function payments(hold: (claimId: string) => boolean = () => true) {
  const asked: ClaimHandle[][] = [];
  const call = async (_procedure: unknown, { claims }: { claims: ClaimHandle[] }) => {
    asked.push(claims);
    return { held: claims.map(({ claimId }) => claimId).filter(hold) };
  };
  return { asked, bus: { call } as unknown as BusClient };
}
const beats = () => jest.advanceTimersByTimeAsync(EVERY_MS);

describe('the heartbeat of claims', () => {
  // On a machine that is busy a real beat may come while calls still begin.
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('tells of all calls that run, together, and of none that has ended', async () => {
    const { asked, bus } = payments();
    const heartbeat = new ClaimHeartbeat(bus, EVERY_MS);
    const [first, second] = [handle(), handle(3)];
    heartbeat.begin(first);
    heartbeat.begin(second);
    await beats();
    expect(asked.at(-1)).toEqual([first, second]);
    heartbeat.end(first);
    await beats();
    expect(asked.at(-1)).toEqual([second]);
    // An earlier attempt has nothing to end.
    heartbeat.end({ ...second, attempt: 2 });
    await beats();
    expect(asked.at(-1)).toEqual([second]);
    heartbeat.end(second);
  });

  it('asks in parts of what one request may name', async () => {
    const { asked, bus } = payments();
    const heartbeat = new ClaimHeartbeat(bus, EVERY_MS);
    const all = Array.from({ length: 1_001 }, () => handle());
    for (const each of all) heartbeat.begin(each);
    await beats();
    expect(asked.map(claims => claims.length)).toEqual([500, 500, 1]);
    for (const each of all) heartbeat.end(each);
  });

  it('forgets what payments do not hold, and asks again after a failure', async () => {
    const gone = handle();
    const { asked, bus } = payments(claimId => claimId !== gone.claimId);
    let failures = 2;
    const failing = {
      call: (...given: Parameters<BusClient['call']>) =>
        failures-- > 0 ? Promise.reject(new Error('payments are away')) : bus.call(...given),
    } as BusClient;
    const heartbeat = new ClaimHeartbeat(failing, EVERY_MS);
    const held = handle();
    heartbeat.begin(gone);
    heartbeat.begin(held);
    // Twice they are away.
    for (let beat = 0; beat < 4; beat++) await beats();
    expect(asked).toEqual([[gone, held], [held]]);
    heartbeat.end(held);
  });
});

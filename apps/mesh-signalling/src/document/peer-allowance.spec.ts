import { PEER_RATES, PeerAllowance, PeerAllowances } from './peer-allowance.js';

describe('the allowance of a peer', () => {
  let nowMs = 0;
  const clock = () => nowMs;
  beforeEach(() => (nowMs = 0));

  it('has its burst at once, and then as many as come back', () => {
    const allowance = new PeerAllowance(clock);
    const { burst, perSecond } = PEER_RATES.messages;
    for (let n = 0; n < burst; n++) {
      expect(allowance.waitMs).toBe(0);
      allowance.take('messages', 1);
    }
    expect(allowance.waitMs).toBe(0);
    allowance.take('messages', 1);
    expect(allowance.waitMs).toBe(1_000 / perSecond);
    nowMs += allowance.waitMs;
    expect(allowance.waitMs).toBe(0);
  });

  it('makes who has sent much wait in proportion, and for the longest of what is used', () => {
    const allowance = new PeerAllowance(clock);
    allowance.take('bytes', PEER_RATES.bytes.burst + 2 * PEER_RATES.bytes.perSecond);
    allowance.take('messages', PEER_RATES.messages.burst + PEER_RATES.messages.perSecond);
    expect(allowance.waitMs).toBe(2_000);
    nowMs += 1_500;
    expect(allowance.waitMs).toBe(500);
  });

  it('never comes to more than its burst', () => {
    const allowance = new PeerAllowance(clock);
    nowMs += 3_600_000;
    const { burst } = PEER_RATES.clientIds;
    expect(allowance.takeIfThere('clientIds', burst)).toBe(true);
    expect(allowance.takeIfThere('clientIds', 1)).toBe(false);
    nowMs += 60_001;
    expect(allowance.takeIfThere('clientIds', 1)).toBe(true);
    expect(allowance.takeIfThere('clientIds', 1)).toBe(false);
  });

  it('is the same for a peer that goes and comes again', () => {
    const allowances = new PeerAllowances(clock);
    allowances.of('ada').take('messages', 1);
    expect(allowances.of('ada').isFull).toBe(false);
    expect(allowances.of('bob').isFull).toBe(true);
    nowMs += 60_000;
    expect(allowances.of('ada').isFull).toBe(true);
  });

  it('forgets those that used nothing lately, where there are many, and no others', () => {
    const allowances = new PeerAllowances(clock);
    allowances.of('busy').take('messages', 10);
    for (let n = 0; n < 20_000; n++) allowances.of(`peer ${n}`);
    expect(allowances.count).toBeLessThanOrEqual(4_096);
    expect(allowances.of('busy').isFull).toBe(false);
  });
});

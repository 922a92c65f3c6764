import { measureEcho } from './echo-measurement.js';

/** Gives back what it gets after a turn of the event loop; its clock goes on by one a message. */
function subject(change: (bytes: Uint8Array, number: number) => Uint8Array = bytes => bytes) {
  const state = { clockMs: 0, messages: 0, inFlight: 0, inFlightMax: 0, seen: new Set<string>(), pings: 0 };
  return {
    state,
    ping: async () => ++state.pings,
    echo: async (bytes: Uint8Array) => {
      state.inFlightMax = Math.max(state.inFlightMax, ++state.inFlight);
      await new Promise(resolve => setImmediate(resolve));
      state.inFlight--;
      state.clockMs++;
      state.seen.add(bytes.subarray(0, 8).join());
      return change(bytes, state.messages++);
    },
  };
}

it('measures what really went, and counts each byte once', async () => {
  const one = subject();
  const measured = await measureEcho(one, 1_000_000, () => one.state.clockMs);
  expect(one.state).toMatchObject({ messages: 62, inFlightMax: 62, inFlight: 0, pings: 21 });
  expect(one.state.seen.size).toBe(62);
  expect(measured).toEqual({
    bytes: 1_015_808,
    seconds: 0.062,
    megabytesPerSecond: expect.closeTo(16.384, 6),
    roundTripMsMedian: 11,
    roundTripMsMax: 21,
  });
});

it('never has more than 64 messages on their way', async () => {
  const one = subject();
  await measureEcho(one, 8_000_000, () => one.state.clockMs);
  expect(one.state.inFlightMax).toBe(64);
});

it('says so where other bytes come back, or fewer', async () => {
  const flip = (bytes: Uint8Array, number: number) =>
    number === 3 ? bytes.map((byte, i) => (i === 16_383 ? byte ^ 1 : byte)) : bytes;
  await expect(measureEcho(subject(flip), 100_000, () => 0)).rejects.toThrow('came back changed');
  await expect(
    measureEcho(
      subject(bytes => bytes.subarray(1)),
      1,
      () => 0,
    ),
  ).rejects.toThrow('message 0');
});

/** What is measured: something that gives back what it gets. */
export interface EchoSubject {
  /** Gives back the bytes. */
  echo(bytes: Uint8Array): Promise<Uint8Array>;
  /** Milliseconds there and back. */
  ping(): Promise<number>;
}

export interface EchoMeasurement {
  /** Bytes that went there and came back, each counted once. */
  readonly bytes: number;
  readonly seconds: number;
  /** 1,000,000 bytes a second, one way; as much comes the other way in the same time. */
  readonly megabytesPerSecond: number;
  /** Milliseconds there and back with nothing else on the way: the middle one of the pings, and the slowest. */
  readonly roundTripMsMedian: number;
  readonly roundTripMsMax: number;
}

const PINGS = 21;
const MESSAGE_BYTES = 16_384;
/** On their way at once: enough to fill a fast connection, and far below what a channel buffers. */
const MESSAGES_IN_FLIGHT = 64;

/**
 * Measures by doing: pings one after the other on a quiet connection, then `bytes` of noise there and back, each message
 * compared with what was sent.
 *
 * @param nowMs a clock that does not go back, milliseconds
 * @throws {Error} where other bytes come back than were sent; what the subject throws
 */
export async function measureEcho(
  subject: EchoSubject,
  bytes: number,
  nowMs: () => number,
): Promise<EchoMeasurement> {
  const pings: number[] = [];
  for (let i = 0; i < PINGS; i++) pings.push(await subject.ping());
  pings.sort((one, other) => one - other);
  const messages = Math.ceil(bytes / MESSAGE_BYTES);
  const startedMs = nowMs();
  let next = 0;
  const lane = async () => {
    for (let number = next++; number < messages; number = next++) {
      const sent = noise(number);
      if (!isSame(await subject.echo(sent), sent)) throw new Error(`message ${number} came back changed`);
    }
  };
  await Promise.all(Array.from({ length: MESSAGES_IN_FLIGHT }, lane));
  const seconds = (nowMs() - startedMs) / 1_000;
  const sentBytes = messages * MESSAGE_BYTES;
  return {
    bytes: sentBytes,
    seconds,
    megabytesPerSecond: sentBytes / 1e6 / seconds,
    roundTripMsMedian: pings[PINGS >> 1],
    roundTripMsMax: pings[PINGS - 1],
  };
}

/** Bytes of a message that no other has, of a small generator (xorshift32): nothing on the way can make them shorter. */
function noise(number: number): Uint8Array {
  const words = new Uint32Array(MESSAGE_BYTES / 4);
  let state = number + 1;
  for (let i = 0; i < words.length; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[i] = state;
  }
  return new Uint8Array(words.buffer);
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, i) => byte === other[i]);
}

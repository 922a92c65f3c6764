import fc from 'fast-check';
import type { Channel } from './channel.js';
import { CONTROL_BYTES_MAX, CONTROL_ERRORS_MAX, ControlChannel } from './control-channel.js';
import { ECHO_BYTES_MAX, EchoBudget, EchoChannel } from './echo-channel.js';

const RUNS = Number(process.env.FUZZ_RUNS ?? 200);

/** An end of a channel whose peer reads when a test says so. */
class UnreadChannel {
  bufferedBytes = 0;
  readonly sent: (string | Uint8Array)[] = [];
  takesBytesMax = Infinity;

  send(message: string | Uint8Array): boolean {
    if (Buffer.byteLength(message) > this.takesBytesMax) return false;
    this.sent.push(message);
    this.bufferedBytes += Buffer.byteLength(message);
    return true;
  }
}

function control() {
  const channel = new UnreadChannel();
  const said: string[] = [];
  const ctl = new ControlChannel({
    now: () => 1_234,
    bye: () => void said.push('bye'),
    end: reason => void said.push(reason),
  });
  ctl.attach(channel as unknown as Channel);
  const types = () => channel.sent.map(each => JSON.parse(each as string).type);
  return { channel, ctl, said, types };
}

describe('ctl', () => {
  it('answers a ping with its id and the time', () => {
    const { ctl, channel } = control();
    ctl.receive('{"type":"ping","id":"a"}');
    expect(channel.sent).toEqual(['{"type":"pong","id":"a","at":1234}']);
  });

  it('takes messages up to its bound, and none beyond', () => {
    const { ctl, types } = control();
    const ping = (size: number) => {
      const empty = '{"type":"ping","id":1,"x":""}';
      return empty.replace(
        '""',
        `"${'é'.repeat((size - empty.length) >> 1)}${'x'.repeat((size - empty.length) & 1)}"`,
      );
    };
    ctl.receive(ping(CONTROL_BYTES_MAX));
    ctl.receive(ping(CONTROL_BYTES_MAX + 1));
    expect(types()).toEqual(['pong', 'error']);
  });

  it('answers whatever comes with one message, and ends after so many errors', () => {
    const message = fc.oneof(
      fc.string(),
      fc.json(),
      fc.uint8Array().map(bytes => Buffer.from(bytes)),
    );
    fc.assert(
      fc.property(fc.array(message, { maxLength: 40 }), messages => {
        const { ctl, said, types } = control();
        for (const each of messages) if (said.length === 0) ctl.receive(each);
        expect(types().every(type => type === 'error')).toBe(true);
        expect(types().length).toBe(Math.min(messages.length, CONTROL_ERRORS_MAX));
        expect(said).toEqual(messages.length >= CONTROL_ERRORS_MAX ? ['PROTOCOL_ERRORS'] : []);
      }),
      { numRuns: RUNS },
    );
  });

  it('counts errors on over a channel that is opened anew, and tells nobody while there is none', () => {
    const { ctl, said } = control();
    for (let i = 1; i < CONTROL_ERRORS_MAX; i++) ctl.refuse('a fault');
    ctl.attach(undefined);
    expect(ctl.tell({ type: 'closing', reason: 'IDLE' })).toBe(false);
    ctl.attach(new UnreadChannel() as unknown as Channel);
    expect(said).toEqual([]);
    ctl.refuse('the last');
    expect(said).toEqual(['PROTOCOL_ERRORS']);
  });

  it('ends once for a peer that asks and does not read', () => {
    const { ctl, said, channel } = control();
    for (let i = 0; i < 20_000; i++) ctl.receive('{"type":"ping","id":1}');
    expect(said).toEqual(['CTL_OVERFLOW']);
    expect(channel.bufferedBytes).toBeGreaterThan(262_144);
    expect(channel.bufferedBytes).toBeLessThan(262_144 + 1_024);
  });
});

describe('echo', () => {
  const echoOf = (channel: UnreadChannel, budget: EchoBudget) => {
    const ended: string[] = [];
    const echo = new EchoChannel(channel as unknown as Channel, budget, reason => void ended.push(reason));
    return { echo, ended };
  };

  it('ends for a peer that does not read, at the bound and not before', () => {
    const channel = new UnreadChannel();
    const { echo, ended } = echoOf(channel, new EchoBudget());
    const part = Buffer.alloc(ECHO_BYTES_MAX / 4);
    for (let i = 0; i < 4; i++) echo.receive(part);
    expect(ended).toEqual([]);
    echo.receive('x');
    expect(ended).toEqual(['ECHO_OVERFLOW']);
  });

  it('ends for a peer that takes less than it sends', () => {
    const channel = new UnreadChannel();
    channel.takesBytesMax = 10;
    const { echo, ended } = echoOf(channel, new EchoBudget());
    echo.receive('0123456789');
    expect(ended).toEqual([]);
    echo.receive('0123456789.');
    expect(ended).toEqual(['MESSAGE_TOO_LONG']);
  });

  it('counts what waits for all peers together, less what they have read and those that went', () => {
    const budget = new EchoBudget(100);
    const [first, second, third] = [new UnreadChannel(), new UnreadChannel(), new UnreadChannel()];
    const [a, b, c] = [first, second, third].map(channel => echoOf(channel, budget));
    a.echo.receive(Buffer.alloc(60));
    b.echo.receive(Buffer.alloc(40));
    expect([a.ended, b.ended]).toEqual([[], []]);
    b.echo.receive(Buffer.alloc(1));
    expect([a.ended, b.ended]).toEqual([[], ['ECHO_OVERFLOW']]);
    b.echo.close();
    first.bufferedBytes = 10;
    a.echo.measure();
    c.echo.receive(Buffer.alloc(90));
    expect(c.ended).toEqual([]);
    c.echo.receive(Buffer.alloc(1));
    expect(c.ended).toEqual(['ECHO_OVERFLOW']);
  });
});

import 'reflect-metadata';
import { ProblemError } from '@svc/platform';
import { createHash, randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { CONTROL_BYTES_MAX, CONTROL_ERRORS_MAX } from '../src/super-peer/control-channel.js';
import { MESSAGE_BYTES_MAX } from '../src/super-peer/channel.js';
import { STRAY_CHANNELS_MAX } from '../src/super-peer/channel-set.js';
import type { SuperPeerSettings } from '../src/super-peer/node-datachannel-super-peer.js';
import { NOT_ANSWERED } from '../src/super-peer/super-peer.js';
import { DataChannelPeer, until } from './data-channel-peer.js';
import { LoneSuperPeer } from './lone-super-peer.js';

const problemOf = async (work: Promise<unknown>): Promise<ProblemError> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ProblemError)) throw error ?? new Error('expected a problem');
  return error;
};

describe('the connections of a replica', () => {
  const begun: LoneSuperPeer[] = [];
  const peers: DataChannelPeer[] = [];

  const start = async (settings: Partial<SuperPeerSettings> = {}) => {
    const lone = await LoneSuperPeer.start(settings);
    begun.push(lone);
    return lone;
  };
  const newPeer = (...[identity, config]: ConstructorParameters<typeof DataChannelPeer>) => {
    const peer = new DataChannelPeer(identity, config);
    peers.push(peer);
    return peer;
  };

  afterEach(async () => {
    for (const peer of peers.splice(0)) peer.close();
    await Promise.all(begun.splice(0).map(lone => lone.close()));
  });

  describe('opening', () => {
    it('opens the three channels, welcomes the peer, and says so to the ledger and on the board', async () => {
      const lone = await start();
      const { superPeer, ledger, board } = lone;
      const peer = newPeer();
      const sessionId = await lone.join(peer);
      const ctl = await peer.channel('ctl');
      expect(await ctl.message('welcome')).toEqual({
        ...{ type: 'welcome', sessionId, nodeId: superPeer.nodeId, identity: 'verified' },
        ...{ keyHash: peer.peer.keyHash, documentName: 'mesh', idleMs: 120_000 },
        channels: ['ctl', 'crdt', 'echo'],
      });
      await until(() => ledger.opened.includes(sessionId), 'the ledger knows');
      expect(superPeer.isOpen(sessionId)).toBe(true);
      await until(() => board.entries.size === 3, 'the board knows');
      expect(lone.documents.opened).toMatchObject([{ peer: peer.peer }]);
      expect(board.entries.get(`session.${sessionId}`)).toEqual({ nodeId: superPeer.nodeId });
      expect(board.entries.get(`peer.${peer.peer.keyHash}.${sessionId}`)).toMatchObject({
        ...{ via: 'channel', nodeId: superPeer.nodeId, publicKey: peer.peer.publicKey },
      });
      peer.close();
      await until(() => board.entries.size === 1, 'the board forgets it');
      expect([...board.entries.keys()]).toEqual([`node.${superPeer.nodeId}`]);
      expect(ledger.ended.get(sessionId)).toBe('PEER_CLOSED');
    });

    it('opens itself what the peer has not opened, and closes what is none of the three or a second one', async () => {
      const lone = await start();
      const peer = newPeer();
      await lone.join(peer, ['gossip']);
      const stray = peer.channels.get('gossip')!;
      for (const label of ['ctl', 'crdt', 'echo']) await peer.channel(label);
      await until(() => stray.isClosed, 'the stray channel is closed');
      const second = peer.openChannel('second');
      const echo = peer.channels.get('echo')!;
      const other = peer.openChannel('echo');
      await until(() => other.isClosed && second.isClosed, 'the second echo is closed');
      echo.send('still here');
      await until(() => echo.received.length === 1, 'the first echo answers');
      expect(lone.superPeer.connections).toBe(1);
    });

    it('closes the connection of a peer that keeps opening channels that are none', async () => {
      const lone = await start();
      const peer = newPeer();
      const sessionId = await lone.join(peer);
      const ctl = await peer.channel('ctl');
      await ctl.message('welcome');
      for (let i = 0; i < STRAY_CHANNELS_MAX; i++) peer.openChannel(`stray-${i}`);
      expect(await ctl.message('closing')).toEqual({ type: 'closing', reason: 'STRAY_CHANNELS' });
      expect(lone.ledger.ended.get(sessionId)).toBe('STRAY_CHANNELS');
    });

    it('tells nobody that a peer is present that did not show who it is', async () => {
      const lone = await start();
      const peer = newPeer('unverified');
      const sessionId = await lone.join(peer);
      await until(() => lone.ledger.opened.length === 1, 'it is open');
      await until(() => lone.board.entries.size === 2, 'the board knows the session');
      expect([...lone.board.entries.keys()]).toEqual(['node.node-of-the-tests', `session.${sessionId}`]);
    });

    it('opens where the peer names no candidate at all, and where it names places that are not its own', async () => {
      const lone = await start();
      const [silent, liar] = [newPeer(), newPeer()];
      const bare = (sdp: string) =>
        sdp
          .split('\r\n')
          .filter(line => !/^a=(candidate:|end-of-candidates)/.test(line))
          .join('\r\n');
      const silentOffer = bare(await silent.offer());
      silent.accept((await lone.superPeer.answer('silent', silentOffer, silent.peer)).sdpAnswer);
      const elsewhere = 'a=candidate:1 1 UDP 2122317823 198.51.100.7 4444 typ host\r\n';
      const liarOffer = bare(await liar.offer()) + elsewhere;
      liar.accept((await lone.superPeer.answer('liar', liarOffer, liar.peer)).sdpAnswer);
      await until(() => lone.ledger.opened.length === 2, 'both are open');
    });

    it('answers with what it has where a STUN server says nothing', async () => {
      const mute = createSocket('udp4');
      let asked = 0;
      mute.on('message', () => void asked++);
      await new Promise<void>(resolve => mute.bind(0, '127.0.0.1', resolve));
      try {
        const lone = await start({ stunUrls: [`stun:127.0.0.1:${mute.address().port}`] });
        const peer = newPeer();
        const sessionId = await lone.join(peer);
        await until(() => lone.ledger.opened.includes(sessionId), 'it is open');
        expect(asked).toBeGreaterThan(0);
      } finally {
        mute.close();
      }
    });

    it('sends nothing to the places that an offer names, but late and to those of a verified peer', async () => {
      const lone = await start();
      const heard = async (identity: 'verified' | 'unverified', isTrickled: boolean) => {
        const socket = createSocket('udp4');
        let packets = 0;
        socket.on('message', () => void packets++);
        await new Promise<void>(resolve => socket.bind(0, resolve));
        const [own] = /(?<= )\d+\.\d+\.\d+\.\d+ \d+(?= typ host)/.exec(await newPeer().offer()) ?? [
          '127.0.0.1 0',
        ];
        const place = `candidate:1 1 UDP 2122317823 ${own.split(' ')[0]} ${socket.address().port} typ host`;
        const peer = newPeer(identity);
        const bare = (await peer.offer()).replace(/a=candidate:.*\r\n/g, '');
        const offer = isTrickled ? bare : bare.replace('a=end-of', `a=${place}\r\na=end-of`);
        const sessionId = lone.newSessionId();
        await lone.superPeer.answer(sessionId, offer, peer.peer);
        if (isTrickled)
          expect(lone.superPeer.addCandidates(sessionId, [place, 'candidate:nonsense'])).toBe(true);
        return { packets: () => packets, close: () => socket.close() };
      };
      const all = await Promise.all([
        heard('unverified', false),
        heard('unverified', true),
        heard('verified', false),
        heard('verified', true),
      ]);
      const early = all.map(({ packets }) => packets());
      await until(() => all[2].packets() > 0 && all[3].packets() > 0, 'the late checks come');
      expect(early).toEqual([0, 0, 0, 0]);
      expect(all.map(({ packets }) => packets() > 0)).toEqual([false, false, true, true]);
      for (const { close } of all) close();
    });

    it('answers on one port for all', async () => {
      const lone = await start();
      const ports = new Set<string>();
      for (let i = 0; i < 3; i++) {
        const peer = newPeer();
        const { candidates } = await lone.superPeer.answer(`${i}`, await peer.offer(), peer.peer);
        expect(candidates.length).toBeGreaterThan(0);
        for (const candidate of candidates) ports.add(candidate.split(' ')[5]);
      }
      expect(ports.size).toBe(1);
    });

    it('does not connect a peer whose certificate is not the one of its offer', async () => {
      const lone = await start();
      const [peer, thief] = [newPeer(), newPeer()];
      const fingerprint = /a=fingerprint:.*/.exec(await peer.offer())![0];
      const offer = (await thief.offer()).replace(/a=fingerprint:.*/, fingerprint);
      thief.accept((await lone.superPeer.answer('stolen', offer, peer.peer)).sdpAnswer);
      await until(() => lone.ledger.ended.has('stolen'), 'it has ended');
      expect(lone.ledger.ended.get('stolen')).toBe('FAILED');
      expect(lone.ledger.opened).toEqual([]);
      expect(thief.states).not.toContain('connected');
      expect(lone.documents.opened).toEqual([]);
    });

    it('closes what nobody opens, and leaves nothing of it', async () => {
      const lone = await start({ unopenedMs: 100 });
      const peer = newPeer();
      const { candidates } = await lone.superPeer.answer('unopened', await peer.offer(), peer.peer);
      expect(candidates).not.toEqual([]);
      expect(lone.superPeer.connections).toBe(1);
      await until(() => lone.superPeer.connections === 0, 'it is gone');
      expect(lone.ledger.ended.get('unopened')).toBe('UNOPENED');
    });
  });

  describe('refusing', () => {
    it('refuses what the library cannot take, and leaves nothing open', async () => {
      const lone = await start();
      const peer = newPeer();
      const offer = await peer.offer();
      for (const broken of [
        '',
        'v=0',
        offer.replace(/a=ice-ufrag:.*\r\n/, ''),
        offer.replace(/a=fingerprint:.*\r\n/, ''),
      ]) {
        const problem = await problemOf(lone.superPeer.answer('broken', broken, peer.peer));
        expect(problem.payload).toMatchObject({ code: 'UNPROCESSABLE', errors: [{ path: 'sdpOffer' }] });
      }
      expect(lone.superPeer.connections).toBe(0);
      expect(lone.ledger.ended.size).toBe(0);
    });

    it('takes no more connections than it may have', async () => {
      const lone = await start({ connectionsMax: 2 });
      const [first, second, third] = [newPeer(), newPeer(), newPeer()];
      await lone.join(first);
      await lone.join(second);
      const problem = await problemOf(lone.join(third));
      expect(problem.payload).toMatchObject({ code: 'OVERLOADED', retryAfterSeconds: 5 });
      await until(() => lone.ledger.opened.length === 2, 'both are open');
      first.close();
      await until(() => lone.superPeer.connections === 1, 'one is closed');
      await lone.join(newPeer());
    });

    it('writes nothing of a connection whose answer nobody was given', async () => {
      const lone = await start();
      const peer = newPeer();
      await lone.superPeer.answer('withdrawn', await peer.offer(), peer.peer);
      expect(lone.superPeer.close('withdrawn', NOT_ANSWERED)).toBe(true);
      expect(lone.superPeer.connections).toBe(0);
      expect(lone.ledger.ended.size).toBe(0);
    });

    it('takes no second offer for a session', async () => {
      const lone = await start();
      const peer = newPeer();
      const offer = await peer.offer();
      await lone.superPeer.answer('twice', offer, peer.peer);
      await expect(lone.superPeer.answer('twice', offer, peer.peer)).rejects.toThrow('has a connection');
      expect(lone.superPeer.connections).toBe(1);
    });
  });

  describe('ctl', () => {
    it('answers pings, and says what is wrong with anything else until it is too much', async () => {
      const lone = await start();
      const peer = newPeer();
      const sessionId = await lone.join(peer);
      const ctl = await peer.channel('ctl');
      ctl.tell({ type: 'ping', id: 7, more: 'is passed over' });
      expect(await ctl.message('pong')).toMatchObject({ id: 7, at: expect.any(Number) });
      const faults: (string | Uint8Array)[] = [
        ...[
          '{',
          'null',
          '[]',
          '{"type":"dance"}',
          '{"type":"ping"}',
          '"x"',
          'x'.repeat(CONTROL_BYTES_MAX + 1),
        ],
        Buffer.from('{"type":"ping","id":1}'),
      ];
      for (const fault of faults) ctl.send(fault);
      const errors = () => ctl.objects().filter(({ type }) => type === 'error').length;
      await until(() => errors() === faults.length, 'each has its error');
      expect(lone.superPeer.connections).toBe(1);
      while (errors() < CONTROL_ERRORS_MAX && !ctl.isClosed) {
        const before = errors();
        ctl.send('{');
        await until(() => errors() > before, 'one more');
      }
      expect(await ctl.message('closing')).toEqual({ type: 'closing', reason: 'PROTOCOL_ERRORS' });
      await until(() => lone.superPeer.connections === 0, 'it is closed');
      expect(lone.ledger.ended.get(sessionId)).toBe('PROTOCOL_ERRORS');
    });

    it('closes at once for a peer that says bye', async () => {
      const lone = await start();
      const peer = newPeer();
      const sessionId = await lone.join(peer);
      (await peer.channel('ctl')).tell({ type: 'bye' });
      await until(() => lone.superPeer.connections === 0, 'it is closed');
      expect(lone.ledger.ended.get(sessionId)).toBe('PEER_CLOSED');
      await until(() => peer.states.includes('closed'), 'the peer sees it');
    });

    it('closes an idle connection, and none over which something goes', async () => {
      const lone = await start({ idleMs: 400 });
      const [idle, busy] = [newPeer(), newPeer()];
      const idleId = await lone.join(idle);
      const busyId = await lone.join(busy);
      const echo = await busy.channel('echo');
      const timer = setInterval(() => echo.send('x'), 50);
      try {
        const ctl = await idle.channel('ctl');
        expect(await ctl.message('closing')).toEqual({ type: 'closing', reason: 'IDLE' });
        expect(lone.ledger.ended.get(idleId)).toBe('IDLE');
        expect(lone.ledger.ended.has(busyId)).toBe(false);
      } finally {
        clearInterval(timer);
      }
      await until(() => lone.ledger.ended.get(busyId) === 'IDLE', 'the other is idle too');
    });

    it('says why a session is deleted; whoever does not go then is closed', async () => {
      const lone = await start();
      const peer = newPeer();
      const sessionId = await lone.join(peer);
      const ctl = await peer.channel('ctl');
      await ctl.message('welcome');
      expect(lone.superPeer.close(sessionId, 'DELETED')).toBe(true);
      expect(await ctl.message('closing')).toEqual({ type: 'closing', reason: 'DELETED' });
      expect(lone.ledger.ended.get(sessionId)).toBe('DELETED');
      await until(() => lone.superPeer.connections === 0, 'it is closed');
      await until(() => peer.states.includes('closed'), 'the peer sees it');
      expect(lone.superPeer.close(sessionId, 'DELETED')).toBe(false);
      expect(lone.superPeer.addCandidates(sessionId, [])).toBe(false);
      expect(lone.superPeer.isOpen(sessionId)).toBeUndefined();
    });
  });

  describe('echo', () => {
    it('gives back what comes: text as text, bytes as bytes, of every length, in order', async () => {
      const lone = await start();
      const peer = newPeer();
      await lone.join(peer);
      const echo = await peer.channel('echo');
      const sent = [
        '',
        'grüße ∮ 𝄞',
        ...[0, 1, 1_199, 65_536, MESSAGE_BYTES_MAX].map(size => randomBytes(size)),
      ];
      for (const message of sent) echo.send(message);
      await until(() => echo.received.length === sent.length, 'all are back');
      expect(echo.received.map(each => typeof each)).toEqual(sent.map(each => typeof each));
      expect(echo.received.every((each, i) => Buffer.from(each as string).equals(Buffer.from(sent[i])))).toBe(
        true,
      );
    });

    it('gives back 16 MB bit for bit', async () => {
      const lone = await start();
      const peer = newPeer();
      await lone.join(peer);
      const echo = await peer.channel('echo');
      const [sentHash, receivedHash] = [createHash('sha256'), createHash('sha256')];
      for (let i = 0; i < 1_024; i++) {
        const part = randomBytes(16_384);
        sentHash.update(part);
        echo.send(part);
        await until(() => echo.native.bufferedAmount() < 1_048_576, 'there is room');
      }
      await until(() => echo.receivedBytes === 1_024 * 16_384, 'all is back');
      for (const part of echo.received) receivedHash.update(part);
      expect(receivedHash.digest('hex')).toBe(sentHash.digest('hex'));
    });

    it('closes the connection for a message that is longer than was announced', async () => {
      const lone = await start();
      const peer = newPeer('verified', { maxMessageSize: 4 * MESSAGE_BYTES_MAX });
      const sessionId = lone.newSessionId();
      const { sdpAnswer } = await lone.superPeer.answer(sessionId, await peer.offer(), peer.peer);
      expect(sdpAnswer).toContain(`a=max-message-size:${MESSAGE_BYTES_MAX}\r\n`);
      peer.accept(sdpAnswer.replace(/a=max-message-size:\d+/, `a=max-message-size:${4 * MESSAGE_BYTES_MAX}`));
      (await peer.channel('echo')).send(Buffer.alloc(MESSAGE_BYTES_MAX + 1));
      const ctl = await peer.channel('ctl');
      expect(await ctl.message('closing')).toEqual({ type: 'closing', reason: 'MESSAGE_TOO_LONG' });
      expect(lone.ledger.ended.get(sessionId)).toBe('MESSAGE_TOO_LONG');
    });
  });

  describe('crdt', () => {
    it('carries binary messages both ways, in order, and refuses text', async () => {
      const lone = await start();
      const peer = newPeer();
      await lone.join(peer);
      const crdt = await peer.channel('crdt');
      await until(() => crdt.received.length === 1, 'the first message is the service’s');
      expect(crdt.received[0]).toEqual(Buffer.of(0, 0, 1, 0));
      crdt.send(Uint8Array.of(1, 2, 3).subarray(1));
      crdt.send(Uint8Array.of(4));
      crdt.send('text');
      const error = await (await peer.channel('ctl')).message('error');
      expect(error).toEqual({ type: 'error', detail: 'crdt carries binary messages alone' });
      expect(lone.documents.opened[0].received).toEqual([Buffer.of(2, 3), Buffer.of(4)]);
    });

    it('tells on ctl what was refused, and closes after too much of it', async () => {
      const lone = await start();
      const peer = newPeer();
      const sessionId = await lone.join(peer);
      const ctl = await peer.channel('ctl');
      await peer.channel('crdt');
      await until(() => lone.documents.opened.length === 1, 'the document is open');
      const { outlet } = lone.documents.opened[0];
      outlet.refused({ code: 'UNVERIFIED', detail: 'may read only', closes: false });
      expect(await ctl.message('refused')).toEqual({
        type: 'refused',
        code: 'UNVERIFIED',
        detail: 'may read only',
      });
      expect(lone.superPeer.connections).toBe(1);
      outlet.refused({ code: 'RATE', detail: 'too fast', closes: true });
      expect(await ctl.message('closing')).toEqual({ type: 'closing', reason: 'RATE' });
      await until(() => lone.superPeer.connections === 0, 'it is closed');
      expect(lone.ledger.ended.get(sessionId)).toBe('RATE');
      expect(lone.documents.opened[0].isClosed).toBe(true);
      expect(outlet.send(Uint8Array.of(1))).toBe(false);
    });

    it('closes the channel of a peer that does not keep up, which may open it anew', async () => {
      const lone = await start();
      const peer = newPeer();
      await lone.join(peer);
      const crdt = await peer.channel('crdt');
      await until(() => lone.documents.opened.length === 1, 'the document is open');
      const { outlet } = lone.documents.opened[0];
      const message = Buffer.alloc(MESSAGE_BYTES_MAX);
      let sent = 0;
      while (outlet.send(message)) if (++sent > 1_000) throw new Error('nothing bounds it');
      expect(sent).toBeGreaterThanOrEqual(32);
      expect(lone.documents.opened[0].isClosed).toBe(true);
      expect(outlet.send(Uint8Array.of(1))).toBe(false);
      await until(() => crdt.isClosed, 'the peer sees it');
      peer.openChannel('crdt');
      await until(() => lone.documents.opened.length === 2, 'it is opened anew');
    });

    it('closes the connection, and no more than that, when the document throws', async () => {
      const lone = await start();
      lone.documents.onReceive = () => {
        throw new Error('a fault of the tests');
      };
      const [broken, other] = [newPeer(), newPeer()];
      const sessionId = await lone.join(broken);
      await lone.join(other);
      (await broken.channel('crdt')).send(Uint8Array.of(1));
      await until(() => lone.ledger.ended.has(sessionId), 'it is closed');
      expect(lone.ledger.ended.get(sessionId)).toBe('INTERNAL');
      const echo = await other.channel('echo');
      echo.send('still here');
      await until(() => echo.received.length === 1, 'the other goes on');
    });
  });

  describe('ending', () => {
    it('sends its peers away, closes for those that say bye, and takes no offer meanwhile', async () => {
      const lone = await start({ drainMs: 1_000 });
      const [polite, deaf, unopened] = [newPeer(), newPeer(), newPeer()];
      const politeId = await lone.join(polite);
      const deafId = await lone.join(deaf);
      const [ctl, deafCtl] = [await polite.channel('ctl'), await deaf.channel('ctl')];
      await until(() => lone.ledger.opened.length === 2, 'both are open');
      await lone.superPeer.answer('unopened', await unopened.offer(), unopened.peer);
      lone.superPeer.drain();
      lone.superPeer.drain();
      expect(lone.ledger.ended.get('unopened')).toBe('DRAINED');
      const problem = await problemOf(lone.join(newPeer()));
      expect(problem.payload).toMatchObject({ code: 'OVERLOADED', retryAfterSeconds: 1 });
      expect(await ctl.message('draining')).toEqual({ type: 'draining', reconnectWithinMs: 1_000 });
      ctl.tell({ type: 'bye' });
      await until(() => lone.ledger.ended.has(politeId), 'the polite one is gone');
      expect(lone.ledger.ended.get(politeId)).toBe('DRAINED');
      expect(lone.superPeer.connections).toBe(1);
      await deafCtl.message('draining');
      await lone.close();
      expect(lone.ledger.ended.get(deafId)).toBe('DRAINED');
      expect(lone.superPeer.connections).toBe(0);
      expect(lone.board.entries.size).toBe(0);
    });

    it('gives the port back', async () => {
      const first = await LoneSuperPeer.start();
      const peer = newPeer();
      const { candidates } = await first.superPeer.answer('a', await peer.offer(), peer.peer);
      const udpPort = Number(candidates[0].split(' ')[5]);
      await expect(LoneSuperPeer.start({ udpPort })).rejects.toThrow();
      await first.close();
      const second = await start({ udpPort });
      const other = newPeer();
      await second.join(other);
      await until(() => second.ledger.opened.length === 1, 'the next one opens on it');
    });

    it('leaves nothing of 200 sessions', async () => {
      const lone = await start();
      const all: DataChannelPeer[] = [];
      for (let round = 0; round < 10; round++) {
        const some = Array.from({ length: 20 }, () => new DataChannelPeer());
        all.push(...some);
        await Promise.all(some.map(peer => lone.join(peer)));
        const opened = (round + 1) * 20;
        await until(() => lone.ledger.opened.length === opened, `${opened} are open`);
        expect(lone.superPeer.connections).toBe(20);
        for (const peer of some) peer.close();
        await until(() => lone.superPeer.connections === 0, 'all are closed');
      }
      expect(lone.ledger.ended.size).toBe(200);
      expect(lone.documents.opened.every(({ isClosed }) => isClosed)).toBe(true);
      await until(() => lone.board.entries.size === 1, 'the board has forgotten them');
    });
  });
});

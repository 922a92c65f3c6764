import { meshContract } from '@svc/contracts';
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import WebSocket from 'ws';
import { description, SigningPeer } from './signing-peer.mjs';

const CALLER = { address: '198.51.100.7' };

/**
 * Ways to bring an offer to another peer and its answer back. `exchange(lane)` does it once, with the target of that lane and, where
 * there are keys, a caller of its own; it resolves when the caller has the answer.
 *
 * @typedef {{ exchange(lane: number): Promise<void>; close(): Promise<void> }} Way
 */

/** Over the bus, as the gateway asks. @returns {Promise<Way>} */
export async function overBus(client, lanes) {
  const targets = [];
  for (let i = 0; i < lanes; i++) {
    const peer = new SigningPeer();
    const { inboxId } = await client.call(meshContract.openInbox, { query: peer.inbox(), caller: CALLER });
    targets.push({ peer, inboxId, afterSeq: undefined });
  }
  const answerNext = async target => {
    const { peer, inboxId, afterSeq } = target;
    const asked = { inboxId, waitMs: 10_000, ...(afterSeq !== undefined && { afterSeq }) };
    const { events, lastSeq } = await client.call(meshContract.inboxEvents, asked);
    target.afterSeq = lastSeq;
    const offer = events.find(({ event }) => event.type === 'offer');
    if (!offer) return answerNext(target);
    const { sessionId, peerProof } = offer.event;
    const body = peer.answer(sessionId, peerProof.peerPublicKey, description('active'));
    await client.call(meshContract.answer, { sessionId, request: body });
  };
  return {
    exchange: async lane => {
      const body = new SigningPeer().rendezvous(description('actpass'), targets[lane].peer.publicKey);
      const reply = client.call(meshContract.rendezvous, { request: body, caller: CALLER });
      const [{ outcome }] = await Promise.all([reply, answerNext(targets[lane])]);
      if (outcome !== 'answered') throw new Error(`the rendezvous is ${outcome}`);
    },
    close: async () => {
      for (const { inboxId } of targets) await client.call(meshContract.closeInbox, { inboxId });
    },
  };
}

/** Over HTTP with the inbox as server-sent events, as a peer asks. @returns {Promise<Way>} */
export async function overHttp(address, lanes) {
  const agent = new Agent({ keepAlive: true });
  const post = (path, body) =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json' };
      const sent = request(address + path, { method: 'POST', agent, headers }, reply => {
        let text = '';
        reply.setEncoding('utf8').on('data', part => (text += part));
        reply.on('end', () =>
          reply.statusCode === 200 ? resolve(text) : reject(new Error(`${reply.statusCode} ${text}`)),
        );
      });
      sent.on('error', reject).end(JSON.stringify(body));
    });
  const targets = [];
  for (let i = 0; i < lanes; i++) {
    const peer = new SigningPeer();
    const path = `/v1/mesh/inbox?${new URLSearchParams(peer.inbox())}`;
    const stream = await openEvents(address + path, ({ sessionId, peerProof }) => {
      const body = peer.answer(sessionId, peerProof.peerPublicKey, description('active'));
      post(`/v1/mesh/sessions/${sessionId}/answer`, body).catch(error => process.emitWarning(error));
    });
    targets.push({ peer, stream });
  }
  return {
    exchange: async lane => {
      const { publicKey } = targets[lane].peer;
      await post('/v1/mesh/rendezvous', new SigningPeer().rendezvous(description('actpass'), publicKey));
    },
    close: async () => {
      for (const { stream } of targets) stream.destroy();
      agent.destroy();
    },
  };
}

/** Reads the offers of an inbox. */
function openEvents(url, onOffer) {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers: { accept: 'text/event-stream' } }, reply => {
      if (reply.statusCode !== 200) return reject(new Error(`the inbox is ${reply.statusCode}`));
      let unread = '';
      reply.setEncoding('utf8').on('data', part => {
        const events = (unread + part).split('\n\n');
        unread = events.pop();
        for (const event of events) {
          const data = /^data: (.*)$/m.exec(event)?.[1];
          if (data && event.includes('event: offer')) onOffer(JSON.parse(data));
        }
      });
      // It is ended by whoever opened it.
      reply.on('error', () => undefined);
      resolve(sent);
    });
    sent.on('error', reject).end();
  });
}

/** Over PeerServer's WebSocket, in the messages of PeerJS; nobody signs anything. @returns {Promise<Way>} */
export async function overPeerServer(address, lanes) {
  const callers = [];
  const targets = [];
  for (let i = 0; i < lanes; i++) {
    const target = await openPeer(address, (message, socket) =>
      socket.send(sdpMessage('ANSWER', message.src, description('active'))),
    );
    targets.push(target);
    let answered = () => undefined;
    const caller = await openPeer(address, () => answered());
    callers.push({
      socket: caller.socket,
      exchange: () =>
        new Promise(resolve => {
          answered = resolve;
          caller.socket.send(sdpMessage('OFFER', target.id, description('actpass')));
        }),
    });
  }
  return {
    exchange: lane => callers[lane].exchange(),
    close: async () => {
      for (const { socket } of [...callers, ...targets]) socket.terminate();
    },
  };
}

const sdpMessage = (type, dst, sdp) =>
  JSON.stringify({
    ...{ type, dst },
    payload: { sdp: { type: type.toLowerCase(), sdp }, type: 'data', connectionId: `dc_${randomUUID()}` },
  });

function openPeer(address, onMessage) {
  const id = randomUUID();
  const socket = new WebSocket(`${address}&id=${id}&token=${randomUUID()}`);
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('message', data => {
      const message = JSON.parse(data.toString());
      if (message.type === 'OPEN') resolve({ id, socket });
      else if (message.type === 'OFFER' || message.type === 'ANSWER') onMessage(message, socket);
      else reject(new Error(`PeerServer says ${message.type}`));
    });
  });
}

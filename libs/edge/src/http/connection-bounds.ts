import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf, type TrustedProxies } from '../rate-limit/client-address.js';

/** Requests of one connection that have no answer yet: who waits for answers has one, and who sends ahead a few. */
export const UNANSWERED_MAX = 16;
/** Connections of one address. */
export const CONNECTIONS_OF_ADDRESS_MAX = 1_024;
/** How long an address gets no connection of which more than so many have sent more ahead within that time, milliseconds. */
const SHUT_OUT_MS = 5_000;
export const FLOODS_MAX = 8;

/** An answer of which so long nothing was taken is given up with its connection, and how often that is looked at, milliseconds. */
const [UNREAD_MS, LOOK_MS] = [20_000, 2_000];

/** What is known of one address that is connected, or was shut out. */
interface Connected {
  readonly sockets: Set<Socket>;
  /** When connections were closed for what they sent ahead, within the time of a shutting out. */
  floodsMs: number[];
  shutOutUntilMs: number;
}

/** Connections that have shown a good key. */
const vouched = new WeakSet<Socket>();

/** Says that a connection has shown the key of an account: it is not closed for what others of its address do. */
export const vouchFor = (socket: Socket): void => void vouched.add(socket);

/**
 * Bounds what one connection sends ahead of its answers, and how many an address has. Node reads 64 KiB at once and begins each
 * request in it, some 1,500, before any limit can answer: so a connection that sends more ahead than clients do is closed. An address
 * that does so again and again gets no new one for a while, and loses those on which nothing is under way and neither a good key nor a good payment was shown: others
 * may share it. Proxies that are trusted speak for many, and do not send ahead. A connection on which
 * no answer is read is closed, too: what waits to be sent is held here.
 *
 * A connection that is refused reaches no listener of before, so that Node makes no parser for it.
 *
 * @param server one that has all its listeners, and has not started
 */
export function boundConnections(server: Server, proxies: TrustedProxies, unreadMs = UNREAD_MS): void {
  endUnreadConnections(server, unreadMs);
  const unanswered = new WeakMap<Socket, number>();
  const connected = new Map<string, Connected>();
  const serve = takeListeners<[Socket]>(server, 'connection');
  const handle = takeListeners<[IncomingMessage, ServerResponse]>(server, 'request');
  const addressOf = ({ remoteAddress }: Socket) =>
    remoteAddress === undefined || proxies.trusts(remoteAddress) ? undefined : networkOf(remoteAddress);

  const shutOut = (socket: Socket) => {
    const address = addressOf(socket);
    const known = address === undefined ? undefined : connected.get(address);
    socket.destroy();
    if (!known) return;
    const nowMs = performance.now();
    known.floodsMs = [...known.floodsMs.filter(ms => ms > nowMs - SHUT_OUT_MS), nowMs];
    if (known.floodsMs.length <= FLOODS_MAX) return;
    known.shutOutUntilMs = nowMs + SHUT_OUT_MS;
    const isOthers = (other: Socket) => vouched.has(other) && !vouched.has(socket);
    for (const other of known.sockets)
      if ((unanswered.get(other) ?? 0) === 0 && !isOthers(other)) other.destroy();
  };

  server.on('connection', socket => {
    const address = addressOf(socket);
    if (address === undefined) return serve(socket);
    const known = connected.get(address) ?? { sockets: new Set(), floodsMs: [], shutOutUntilMs: 0 };
    const isShutOut = known.shutOutUntilMs > performance.now();
    if (isShutOut || known.sockets.size >= CONNECTIONS_OF_ADDRESS_MAX) return void socket.destroy();
    connected.set(address, known);
    known.sockets.add(socket);
    socket.once('close', () => {
      known.sockets.delete(socket);
      if (known.sockets.size > 0) return;
      const leftMs =
        Math.max(known.shutOutUntilMs, (known.floodsMs.at(-1) ?? -Infinity) + SHUT_OUT_MS) -
        performance.now();
      const forget = () => known.sockets.size === 0 && connected.delete(address);
      if (leftMs > 0) setTimeout(forget, leftMs).unref();
      else forget();
    });
    serve(socket);
  });

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    // The rest of what was read with the request for which it was closed.
    if (socket.destroyed) return;
    const count = (unanswered.get(socket) ?? 0) + 1;
    if (count > UNANSWERED_MAX) return shutOut(socket);
    unanswered.set(socket, count);
    response.once('close', () => unanswered.set(socket, unanswered.get(socket)! - 1));
    handle(request, response);
  });
}

/** Takes the listeners of an event off, and gives the call that runs them as the event would. */
function takeListeners<Told extends unknown[]>(server: Server, event: string): (...told: Told) => void {
  const listeners = server.listeners(event) as ((...told: Told) => void)[];
  server.removeAllListeners(event);
  return (...told) => {
    for (const listener of listeners) listener.apply(server, told);
  };
}

/** Ends connections whose other side takes nothing of what waits to be sent for so long. */
function endUnreadConnections(server: Server, unreadMs: number): void {
  const waiting = new Map<Socket, { sent: number; sinceMs: number }>();
  server.on('connection', socket => {
    waiting.set(socket, { sent: 0, sinceMs: performance.now() });
    socket.once('close', () => waiting.delete(socket));
  });
  const look = () => {
    const nowMs = performance.now();
    for (const [socket, seen] of waiting) {
      const sent = socket.bytesWritten - socket.writableLength;
      if (socket.writableLength === 0 || sent > seen.sent) Object.assign(seen, { sent, sinceMs: nowMs });
      else if (nowMs - seen.sinceMs >= unreadMs) socket.destroy();
    }
  };
  const timer = setInterval(look, Math.min(LOOK_MS, unreadMs));
  timer.unref();
  server.once('close', () => clearInterval(timer));
}

/**
 * Tells every answer when its connection closes. Node tells it to the answer that is being sent alone: the others of requests sent ahead
 * wait for their turn, and whatever waits for their end would wait, and be held, for ever.
 *
 * @param server one that has its handler, and has not started; what bounds its connections comes after this
 */
export function closeQueuedAnswers(server: Server): void {
  const answersOf = new WeakMap<Socket, Set<ServerResponse>>();
  server.on('connection', socket => {
    const answers = new Set<ServerResponse>();
    answersOf.set(socket, answers);
    socket.once('close', () => {
      for (const answer of answers) if (!answer.socket) answer.destroy().emit('close');
    });
  });
  server.prependListener('request', ({ socket }, response) => {
    const answers = answersOf.get(socket);
    answers?.add(response);
    response.once('close', () => answers?.delete(response));
  });
}

import { meshContract } from '@svc/contracts';
import { overBus, overHttp, overPeerServer } from './exchanges.mjs';
import { measured, MeasuredProcess, quantile, repeat } from './measured-process.mjs';
import { description, SigningPeer } from './signing-peer.mjs';

/** Unmeasured at most where as many are measured as a quota leaves. */
const SHORT_WARM_UP = 200;
const CONNECTION_WARM_UP = 25;
/** With those before, within the thousand calls of a month that the demo plan of one caller has. */
const HTTP_MAX = 250;
/** Each of these holds a connection until all are made. */
const CONNECTIONS_MAX = 250;

/** Does exchanges, the first of them unmeasured. @returns {Promise<{ seconds: number; cpuSeconds: number }>} */
async function exchanged(way, processes, { count, warmup, lanes }) {
  await repeat(warmup, lanes, (_, lane) => way.exchange(lane));
  return measured(processes, () => repeat(count, lanes, (_, lane) => way.exchange(lane)));
}

/**
 * Verified answers a second of a core, without a connection behind them and with one. All that is signed is verified: of a brokered
 * one the offer and the answer.
 * @param {import('./setup.mjs').Setup} setup
 */
export async function answers({ report, mesh, edge, client, options: { exchanges, lanes, warmup } }) {
  report.table('Verified answers, by CPU time of the service');
  const row = (name, count, service, others = {}) =>
    report.row(name, {
      ...{ perCoreS: count / service.cpuSeconds, perS: count / service.seconds },
      ...{ serviceCpuMsEach: (1e3 * service.cpuSeconds) / count, ...others },
    });
  const bus = await overBus(client, lanes);
  // What is compiled in the first thousands is not measured, where so many may be made.
  row('brokered, over the bus', exchanges, await exchanged(bus, [mesh], { count: exchanges, warmup, lanes }));
  await bus.close();

  const http = await overHttp(edge.address, lanes);
  const calls = Math.min(exchanges, HTTP_MAX);
  await repeat(Math.min(warmup, SHORT_WARM_UP), lanes, (_, lane) => http.exchange(lane));
  let atEdge;
  const atMesh = await measured([mesh], async () => {
    atEdge = await measured([edge], () => repeat(calls, lanes, (_, lane) => http.exchange(lane)));
  });
  row('brokered, over HTTP', calls, atMesh, { edgeCpuMsEach: (1e3 * atEdge.cpuSeconds) / calls });
  await http.close();

  const opened = { mesh, client, lanes };
  await connectionAnswers(opened, Math.min(warmup, CONNECTION_WARM_UP));
  const connections = Math.min(exchanges, CONNECTIONS_MAX);
  row('by the service, with a connection', connections, await connectionAnswers(opened, connections));
}

/** The service's own answers, each with a PeerConnection; they are closed after. */
async function connectionAnswers({ mesh, client, lanes }, count) {
  const caller = { address: '198.51.100.7' };
  const requests = Array.from({ length: count }, () => new SigningPeer().rendezvous(description('actpass')));
  const sessionIds = [];
  const used = await measured([mesh], () =>
    repeat(count, lanes, async i => {
      const { sessionId } = await client.call(meshContract.rendezvous, { request: requests[i], caller });
      sessionIds.push(sessionId);
    }),
  );
  await repeat(count, lanes, i => client.call(meshContract.closeSession, { sessionId: sessionIds[i] }));
  return used;
}

/**
 * Offers and answers from peer to peer, beside PeerServer. That relays what anybody sends from one socket to another in one process;
 * here two signatures are verified and a third is made, a nonce is used and the session kept in Postgres, so that any replica
 * can go on with it.
 * @param {import('./setup.mjs').Setup} setup
 */
export async function signalling({ report, mesh, edge, client, options: { exchanges, lanes, warmup } }) {
  report.table('An offer to another peer and its answer back: messages relayed, and the time of both');
  const peerServer = await MeasuredProcess.start('peerserver');
  const ways = [
    [
      'PeerServer, WebSocket, nothing signed or kept',
      [peerServer],
      () => overPeerServer(peerServer.address, lanes),
    ],
    ['the service over the bus', [mesh], () => overBus(client, lanes)],
    ['the service over HTTP', [mesh, edge], () => overHttp(edge.address, lanes)],
  ];
  try {
    const count = Math.min(exchanges, HTTP_MAX);
    for (const [name, processes, open] of ways) {
      const way = await open();
      const used = await exchanged(way, processes, { count, warmup: Math.min(warmup, SHORT_WARM_UP), lanes });
      const aloneMs = await repeat(Math.ceil(count / 2), 1, () => way.exchange(0));
      await way.close();
      const messages = 2 * count;
      report.row(name, {
        ...{ messagesPerS: messages / used.seconds, messagesPerCoreS: messages / used.cpuSeconds },
        cpuMsEach: (1e3 * used.cpuSeconds) / messages,
        ...{ p50Ms: quantile(aloneMs, 0.5), p99Ms: quantile(aloneMs, 0.99) },
      });
    }
  } finally {
    await peerServer.stop();
  }
}

import 'reflect-metadata';

/**
 * One of the processes that are measured, named by the first argument; the second is its settings. It says when it is ready and
 * where it is, and what it has used when it is asked: what others use on the machine is not in that. Each loads what it runs, and
 * nothing of the others.
 */
const [, , name, text] = process.argv;
const settings = JSON.parse(text);

async function environmentOf(service) {
  const { serviceEnvironment } = await import('../../tools/bench/service-environment.mjs');
  return serviceEnvironment(service, { ...settings, urls: settings.urls[service] });
}

const STARTS = {
  /** The mesh service alone. */
  async mesh() {
    const { meshSignallingService } = await import('@svc/mesh-signalling');
    const { startService } = await import('@svc/platform');
    const service = await startService(meshSignallingService, await environmentOf('mesh-signalling'));
    return { stop: () => service.close() };
  },
  /** The gateway, and the payments that it asks whether a call is within its quota. */
  async edge() {
    const { TrustedProxies } = await import('@svc/edge');
    const { startGateway } = await import('@svc/gateway');
    const { paymentsService } = await import('@svc/payments');
    const { startService } = await import('@svc/platform');
    const payments = await startService(paymentsService, await environmentOf('payments'));
    const rateLimits = { factor: 0, trustedProxies: new TrustedProxies([]) };
    const gateway = await startGateway({
      ...(await environmentOf('gateway')),
      port: 0,
      host: '127.0.0.1',
      rateLimits,
    });
    await gateway.whenReachable();
    return {
      address: gateway.address,
      stop: async () => {
        await gateway.close();
        await payments.close();
      },
    };
  },
  /** PeerJS's server, as its README starts it. */
  async peerserver() {
    const { PeerServer } = await import('peer');
    const server = await new Promise(resolve => {
      PeerServer({ port: 0, host: '127.0.0.1', path: '/', concurrent_limit: 10_000 }, resolve);
    });
    return { address: `ws://127.0.0.1:${server.address().port}/peerjs?key=peerjs`, stop: async () => {} };
  },
  /** The library without a service: it answers one offer at a time, and echoes. */
  async bare() {
    return { stop: async () => {} };
  },
};

/** Connections of `bare`: what is not held is collected. */
const held = [];
async function answerBare(sdpOffer) {
  const { PeerConnection } = await import('node-datachannel');
  const connection = new PeerConnection('bare', { iceServers: [] });
  const gathered = new Promise(resolve =>
    connection.onGatheringStateChange(state => state === 'complete' && resolve()),
  );
  connection.onDataChannel(channel => {
    held.push(channel);
    channel.onMessage(message => channel.sendMessageBinary(Buffer.from(message)));
  });
  held.push(connection);
  connection.setRemoteDescription(sdpOffer, 'offer');
  if (connection.gatheringState() !== 'complete') await gathered;
  return connection.localDescription().sdp;
}

const running = await STARTS[name]();
process.on('message', async message => {
  if (message.ask === 'usage') {
    // Before: what this collection costs is not the service's.
    globalThis.gc?.();
    const { user, system } = process.cpuUsage();
    process.send({ id: message.id, cpuMs: (user + system) / 1e3, rssBytes: process.memoryUsage.rss() });
  } else if (message.ask === 'answer') {
    process.send({ id: message.id, sdpAnswer: await answerBare(message.sdpOffer) });
  }
});
process.once('SIGTERM', async () => {
  await running.stop();
  process.exit(0);
});
process.send({ ready: true, address: running.address });

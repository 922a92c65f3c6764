import { meshContract } from '@svc/contracts';
import { BusClient, createLogger, findNatsServer, openBusLink, startNatsServer } from '@svc/platform';
import { startTemporaryPostgres } from '@svc/platform/testing';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { everySecret } from '../../tools/bench/service-environment.mjs';
import { SetupError } from '../../tools/setup/setup-error.mjs';
import { MeasuredProcess } from './measured-process.mjs';

const WIDE = '1000000';
const VARIABLES = {
  ...{
    MESH_KEY_CALLS_PER_MINUTE: WIDE,
    MESH_ADDRESS_CALLS_PER_MINUTE: WIDE,
    MESH_INBOX_CALLS_PER_MINUTE: WIDE,
  },
  ...{ MESH_CONNECTIONS_MAX: '10000' },
};
const CALLER = { address: '198.51.100.7' };

/**
 * What the parts of the benchmark are given: the service and the edge, each a process of its own, and a client of the bus.
 *
 * @typedef {object} Setup
 * @property {import('../../tools/bench/report.mjs').Report} report
 * @property {typeof import('./bench.mjs').options} options
 * @property {boolean} smoke peers of other toolchains are left out
 * @property {MeasuredProcess} mesh
 * @property {MeasuredProcess} edge
 * @property {BusClient} client
 * @property {(sdpOffer: string, key: import('./signing-peer.mjs').SigningPeer) => Promise<string>} answerOf the service's answer
 */

/**
 * Starts nats-server, Postgres, the mesh service and the edge, and ends them after the work.
 * @param {Pick<Setup, 'report' | 'options' | 'smoke'>} run
 * @param {(setup: Setup) => Promise<void>} work
 */
export async function withService(run, work) {
  const binary = findNatsServer();
  if (!binary) throw new SetupError('The benchmark of the mesh needs nats-server');
  const logger = createLogger('gateway', { level: 'silent' });
  const home = await mkdtemp(join(tmpdir(), 'svc-bench-mesh-'));
  const ends = [() => rm(home, { recursive: true, force: true })];
  try {
    const postgres = await startTemporaryPostgres();
    ends.push(() => postgres.stop());
    const nats = await startNatsServer({ binary, dataDir: home, logger });
    ends.push(() => nats.stop());
    const bus = { kind: 'nats', url: nats.url, token: nats.token };
    const services = ['mesh-signalling', 'payments', 'gateway'];
    const urls = Object.fromEntries(services.map(service => [service, postgres.urlsFor(service)]));
    const settings = { bus, secrets: everySecret(), variables: VARIABLES, urls };
    const started = ['mesh', 'edge'].map(async name => {
      const each = await MeasuredProcess.start(name, settings);
      ends.push(() => each.stop());
      return each;
    });
    const [mesh, edge] = await Promise.all(started);
    const link = openBusLink(bus, 'gateway', logger);
    await link.connect();
    ends.push(() => link.close());
    const client = new BusClient(link);
    const answerOf = async (sdpOffer, key) => {
      const request = key.rendezvous(sdpOffer);
      return (await client.call(meshContract.rendezvous, { request, caller: CALLER })).sdpAnswer;
    };
    await work({ ...run, mesh, edge, client, answerOf });
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

// commit: none, replicas are processes of their own and one is killed; see ../../mesh-signalling/e2e/replicas.e2e.spec.ts
// watches: apps/mesh-signalling/src
import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import wrtc from '@roamhq/wrtc';
import {
  createLogger,
  type EmbeddedPostgres,
  findNatsServer,
  freePort,
  type NatsServer,
  SECRET_VARIABLES,
  startNatsServer,
} from '@svc/platform';
import { startTemporaryPostgres } from '@svc/platform/testing';
import { cleanup } from 'node-datachannel';
import { RTCPeerConnection as DataChannelConnection } from 'node-datachannel/polyfill';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IndependentPeer, type PeerConnectionClass } from './mesh-peers/independent-peer.js';
import { type MeshGateway, SECRET, startMeshGateway, WIDE_LIMITS } from './mesh-peers/mesh-gateway.js';
import type { Welcome } from './mesh-peers/service-link.js';
import { fragmentOf, withoutCandidates } from './mesh-peers/trickled.js';
import { AppProcess, until, untilStatus } from './processes.js';

const binary = findNatsServer();
const Wrtc = wrtc.RTCPeerConnection as unknown as PeerConnectionClass;
const DataChannels = DataChannelConnection as unknown as PeerConnectionClass;
/** Of two replicas each answers a request by chance: the chance that one of them never does is that of so many heads in a row. */
const TRIES_MAX = 32;

if (!binary) {
  it('needs nats-server', () => console.log('SKIPPED: nats-server is not installed'));
} else {
  describe('two replicas of the mesh, each a process', () => {
    const logger = createLogger('gateway', { level: 'silent' });
    let folder: string;
    let nats: NatsServer;
    let postgres: EmbeddedPostgres;
    let gateway: MeshGateway;
    const replicas: AppProcess[] = [];
    const peers: IndependentPeer[] = [];

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'svc-mesh-'));
      const port = await freePort();
      [nats, postgres] = await Promise.all([
        startNatsServer({ binary, dataDir: folder, token: SECRET, port, logger }),
        startTemporaryPostgres(),
      ]);
      await Promise.all([launch(), launch()]);
      gateway = await startMeshGateway({ bus: { kind: 'nats', url: nats.url, token: SECRET }, postgres });
    });
    afterAll(async () => {
      for (const peer of peers) peer.close();
      await gateway?.close();
      await Promise.all(replicas.map(each => each.end()));
      await Promise.all([nats?.stop(), postgres?.stop()]);
      if (folder) await rm(folder, { recursive: true, force: true });
      cleanup();
    });

    async function launch(): Promise<AppProcess> {
      const healthPort = await freePort();
      const replica = new AppProcess('mesh-signalling', {
        ...{ NATS_URL: nats.url, NATS_TOKEN: SECRET, HEALTH_PORT: String(healthPort), LOG_LEVEL: 'debug' },
        DATABASE_URL: postgres.urlFor('mesh-signalling'),
        DATABASE_MIGRATION_URL: postgres.migrationUrlFor('mesh-signalling'),
        ...Object.fromEntries(SECRET_VARIABLES.map(name => [name, SECRET])),
        // A replica that is gone is known to be so soon, and its document is compared with the others' often.
        ...{ ...WIDE_LIMITS, PRESENCE_TTL_SECONDS: '2', MESH_SYNC_SECONDS: '1' },
      });
      replicas.push(replica);
      await untilStatus(`http://127.0.0.1:${healthPort}/readyz`, 200);
      return replica;
    }

    async function peerOf(rtc: PeerConnectionClass): Promise<IndependentPeer> {
      const peer = await IndependentPeer.create(rtc, gateway.address);
      peers.push(peer);
      return peer;
    }

    /** Requests of a kind that a replica says it has answered. */
    const answeredBy = (replica: AppProcess, subject: string) =>
      replica.output.split(`"subject":"mesh-signalling.${subject}`).length - 1;
    const answeredByAll = (subject: string) =>
      replicas.reduce((sum, replica) => sum + answeredBy(replica, subject), 0);

    /** Meets the service, and finds out which process it was. */
    async function meet(peer: IndependentPeer): Promise<{ welcome: Welcome; replica: AppProcess }> {
      const before = replicas.map(replica => answeredBy(replica, 'rendezvous"'));
      const welcome = await peer.meetService();
      const owner = () => replicas.find((each, i) => answeredBy(each, 'rendezvous"') > before[i]);
      await until(
        () => owner() !== undefined,
        () => 'a replica that says it has answered',
      );
      return { welcome, replica: owner()! };
    }

    /** A peer whose replica is none of these. */
    async function meetOther(rtc: PeerConnectionClass, nodeIds: readonly string[]) {
      for (let tries = 0; tries < TRIES_MAX; tries++) {
        const peer = await peerOf(rtc);
        const met = await meet(peer);
        if (!nodeIds.includes(met.welcome.nodeId)) return { peer, ...met };
        peer.close();
      }
      throw new Error(`no replica beside ${nodeIds.join(', ')} answers`);
    }

    const untilOneHash = async (...all: readonly IndependentPeer[]) => {
      let seen: string[] = [];
      await until(
        async () => {
          const hashes = all.map(({ document }) => document.hash());
          seen = [...(await Promise.all(hashes)), (await gateway.document()).crdtStateHash];
          return new Set(seen).size === 1;
        },
        () => `one hash of all: ${seen.join(' ')}`,
      );
    };

    it('answer by the one and take candidates through the other, which alone make the connection', async () => {
      let opened = 0;
      for (let tries = 0; answeredByAll('node.') === 0 && tries < TRIES_MAX; tries++) {
        const peer = await peerOf(Wrtc);
        let whole = '';
        // Neither side knows an address of the other, until the service is told of this one's.
        const link = await peer.tryService({
          offered: sdp => withoutCandidates((whole = sdp)),
          answered: withoutCandidates,
        });
        expect(link.connection.connectionState).not.toBe('connected');
        const { status } = await peer.call('PATCH', `/v1/mesh/sessions/${link.sessionId}`, fragmentOf(whole));
        expect(status).toBe(204);
        const { keyHash } = await link.opened;
        expect(keyHash).toBe(peer.key.keyHash);
        opened++;
        peer.close();
      }
      expect([opened > 0, answeredByAll('node.') > 0]).toEqual([true, true]);
    });

    it('one is killed: its peer goes to the other, and nothing that either wrote is missing', async () => {
      const first = await meetOther(DataChannels, []);
      const other = await meetOther(Wrtc, [first.welcome.nodeId]);
      expect(other.replica).not.toBe(first.replica);
      first.peer.document.shared.set('before, by the first', 1);
      other.peer.document.shared.set('before, by the other', 2);
      await untilOneHash(first.peer, other.peer);

      // What is written as it dies is stored or not: the peer has it.
      first.peer.document.shared.set('in the moment of death', 3);
      first.replica.signal('SIGKILL');
      expect(await first.replica.exit()).toBe('SIGKILL');
      replicas.splice(replicas.indexOf(first.replica), 1);
      first.peer.document.shared.set('without a connection', 4);
      other.peer.document.shared.set('meanwhile, by the other', 5);
      expect(await first.peer.service!.isAlive()).toBe(false);
      first.peer.service!.close();

      let again: Welcome | undefined;
      await until(
        async () => (again = await first.peer.meetService().catch(() => undefined)) !== undefined,
        () => 'a connection to the replica that is left',
      );
      expect(again).toMatchObject({ nodeId: other.welcome.nodeId, keyHash: first.welcome.keyHash });
      await until(
        () => other.peer.document.shared.size === 5 && first.peer.document.shared.size === 5,
        () => `five entries at each: ${JSON.stringify(other.peer.document.shared.toJSON())}`,
      );
      await untilOneHash(first.peer, other.peer);
      await until(
        async () =>
          (await first.peer.call('GET', `/v1/mesh/sessions/${first.welcome.sessionId}`)).json.reason ===
          'OWNER_GONE',
        () => 'the end of the session of the replica that was killed',
      );

      await launch();
      const third = await meetOther(DataChannels, [other.welcome.nodeId]);
      await until(
        () => third.peer.document.shared.size === 5,
        () => 'the whole document from a replica that read it from Postgres',
      );
      await untilOneHash(first.peer, other.peer, third.peer);
    });
  });
}

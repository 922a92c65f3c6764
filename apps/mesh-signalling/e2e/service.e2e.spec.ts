import 'reflect-metadata';
import type { Provider } from '@nestjs/common';
import { meshContract } from '@svc/contracts';
import {
  API_VERSION,
  BusClient,
  createLogger,
  digestSecretsOf,
  type EmbeddedPostgres,
  KeyedDigests,
  MemoryBus,
  openBusLink,
  SERVICE_ENVIRONMENT,
  type ServiceDefinition,
  type ServiceEnvironment,
  startService,
} from '@svc/platform';
import {
  keyedBy,
  type KeptRows,
  leftBy,
  startTemporaryPostgres,
  TemporarySchema,
  TemporaryServices,
  upkeepOf,
  type WiredUpkeep,
} from '@svc/platform/testing';
import { DataSource } from 'typeorm';
import { meshSignallingService } from '../src/index.js';
import { MeshSettings } from '../src/mesh-config.js';
import { meshReplicaParts } from '../src/mesh-replica-parts.js';
import { MeshSignallingModule } from '../src/mesh-signalling.module.js';
import { DataChannelPeer } from './data-channel-peer.js';
import { MESH_SECRETS, until } from './mesh-on-bus.js';
import { MeshPeer } from './mesh-peer.js';

const { migrations } = meshSignallingService;
/** Peers that do not go when they are told to are waited for, and not long here. */
const settings: Provider = {
  ...{ provide: MeshSettings, inject: [SERVICE_ENVIRONMENT] },
  useFactory: (environment: ServiceEnvironment) =>
    Object.assign(new MeshSettings(environment), { drainMs: 500, lingerMs: 250 }),
};
const definition: ServiceDefinition = {
  ...meshSignallingService,
  module: () =>
    MeshSignallingModule.replica({
      ...meshReplicaParts,
      providers: [...meshReplicaParts.providers, settings],
    }),
};
const caller = { address: '198.51.100.7' };

describe('the mesh service', () => {
  let postgres: EmbeddedPostgres;
  beforeAll(async () => {
    postgres = await startTemporaryPostgres();
  });
  afterAll(() => postgres?.stop());

  it.each(migrations.map((migration, i) => [migration.name, i + 1] as const))(
    'undoes %s, and does it again, to the same schema',
    async (_name, count) => {
      const schema = new TemporarySchema(postgres, 'mesh-signalling', migrations);
      await schema.empty();
      const { before, done, undone, redone } = await schema.redo(count);
      expect(done).not.toEqual(before);
      expect(undone).toEqual(before);
      expect(redone).toEqual(done);
    },
  );

  it('connects a signed offer to its channels, says so of its session, and ends it with its role’s rights alone', async () => {
    const logger = createLogger('mesh-signalling', { level: 'silent' });
    const bus = { kind: 'memory', bus: new MemoryBus() } as const;
    const service = await startService(definition, {
      ...{ service: 'mesh-signalling', version: API_VERSION, bus, production: false, logger },
      ...{ variables: { MESH_BIND_ADDRESS: '127.0.0.1' }, secrets: MESH_SECRETS },
      ...postgres.urlsFor('mesh-signalling'),
    });
    const link = openBusLink(bus, 'gateway', logger);
    await link.connect();
    const client = new BusClient(link);
    const show = (sessionId: string) => client.call(meshContract.session, { sessionId });
    const [remote, staying] = [new DataChannelPeer(), new DataChannelPeer()];
    const connect = async (connection: DataChannelPeer) => {
      const request = new MeshPeer().rendezvous(await connection.offer()) as never;
      const reply = await client.call(meshContract.rendezvous, { request, caller });
      if (reply.outcome !== 'answered') throw new Error(reply.outcome);
      connection.accept(reply.sdpAnswer);
      return reply.sessionId;
    };
    try {
      const sessionId = await connect(remote);
      const echo = await remote.channel('echo');
      echo.send('there and back');
      await until(() => echo.received.includes('there and back'));
      const welcome = await (await remote.channel('ctl')).message('welcome');
      expect(welcome).toMatchObject({ sessionId, identity: 'verified' });
      await until(async () => (await show(sessionId)).session.state === 'connected');
      await client.call(meshContract.closeSession, { sessionId });
      await until(() => echo.isClosed);
      expect((await show(sessionId)).session).toMatchObject({ state: 'closed', reason: 'DELETED' });

      const left = await connect(staying);
      await until(async () => (await show(left)).session.state === 'connected');
      await service.close();
      const role = await new DataSource({
        type: 'postgres',
        url: postgres.urlFor('mesh-signalling'),
        schema: 'mesh_signalling',
      }).initialize();
      // What its connections told as they closed was written before the database was let go of.
      const rows = await role.query(
        `SELECT state, reason FROM mesh_signalling.mesh_session WHERE session_id = $1`,
        [left],
      );
      expect(rows).toEqual([{ state: 'closed', reason: 'DRAINED' }]);
      for (const statement of [
        `UPDATE mesh_signalling.mesh_session SET offer_key = target_key`,
        `UPDATE mesh_signalling.mesh_inbox SET public_key = repeat('00', 32)`,
        `UPDATE mesh_signalling.mesh_nonce SET nonce = nonce`,
        `UPDATE mesh_signalling.mesh_inbox_event SET body = NULL`,
        `TRUNCATE mesh_signalling.mesh_session`,
      ])
        await expect(role.query(statement)).rejects.toThrow('permission denied');
      await role.destroy();
    } finally {
      for (const connection of [remote, staying]) connection.close();
      await service.close();
      await link.close();
    }
  });
});

const [ID, HASH, AGO] = ['substr(md5($1), 1, 22)', 'sha256($1::bytea)', 'now() - $2::interval'];
const SESSION = {
  ...{ session_id: `'mesh_' || ${ID}`, kind: `'super_peer'`, offer_key: `repeat('ab', 32)` },
  ...{ offer_hash: HASH, identity: `'unverified'`, owner_node: `'n'`, sdp_offer: `'o'`, progress: `'{}'` },
  ...{ state: `'closed'`, reason: `'DELETED'`, version: '1', expires_at: 'now()' },
};

/** What the service drops of its own accord. */
const KEPT: Record<string, KeptRows> = {
  allowances: {
    ...{ table: 'mesh_allowance', columns: { name: ID, spent: '1', ends_at: AGO } },
    ages: ['-1 minute', '1 minute'],
  },
  nonces: {
    table: 'mesh_nonce',
    columns: { nonce: `decode(md5($1), 'hex')`, key_hash: HASH, used_at: AGO },
    ages: ['4 minutes', '6 minutes'],
  },
  inboxes: {
    table: 'mesh_inbox',
    columns: {
      ...{ inbox_id: `'inbox_' || ${ID}`, peer_hash: HASH, public_key: `repeat('ab', 32)`, last_seen: AGO },
    },
    ages: ['1 second', '1 hour'],
  },
  sessions: {
    table: 'mesh_session',
    columns: { ...SESSION, request_digest: HASH, changed_at: AGO },
    ages: ['59 minutes', '61 minutes'],
  },
  'calls of its tool': {
    table: 'tool_call',
    columns: { idem_key: HASH, state: `'revoked'`, begun_at: AGO },
    ages: ['29 days', '31 days'],
  },
};

describe('the mesh service as it runs', () => {
  let mesh: TemporaryServices;
  let upkeep: WiredUpkeep;
  beforeAll(async () => {
    mesh = await TemporaryServices.open('mesh-signalling');
    const variables = { MESH_BIND_ADDRESS: '127.0.0.1' };
    upkeep = await upkeepOf(() => mesh.start(definition, { secrets: MESH_SECRETS, variables }));
  });
  afterAll(() => mesh?.close());

  it.each(Object.entries(KEPT))('drops %s when their time is over, and not before', async (_what, rows) => {
    expect(await leftBy(upkeep, mesh.database, rows)).toEqual(['young']);
  });

  it('keys a plain digest of mesh_session for its own row', async () => {
    const digests = new KeyedDigests(
      digestSecretsOf('MESH_SIGNING_SEEDS', MESH_SECRETS),
      'svc/mesh-request/v1',
    );
    const row = { table: 'mesh_session', column: 'request_digest', isBytes: true, columns: SESSION };
    const { stored, expected } = await keyedBy(upkeep, mesh.database, digests, row);
    expect(stored).toBe(expected);
  });
});

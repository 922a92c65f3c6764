import 'reflect-metadata';
import type { Provider } from '@nestjs/common';
import { meshContract } from '@svc/contracts';
import {
  API_VERSION,
  BusClient,
  createLogger,
  type EmbeddedPostgres,
  MemoryBus,
  openBusLink,
  SERVICE_ENVIRONMENT,
  type ServiceDefinition,
  type ServiceEnvironment,
  startService,
} from '@svc/platform';
import { startTemporaryPostgres, TemporarySchema } from '@svc/platform/testing';
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

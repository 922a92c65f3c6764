import { type EmbeddedPostgres } from '@svc/platform';
import { startTemporaryPostgres, TemporarySchema } from '@svc/platform/testing';
import { DataSource } from 'typeorm';
import { acousticService } from '../src/index.js';
import { type AcousticOnBus, startAcousticOnBus } from './acoustic-on-bus.js';

const { migrations } = acousticService;

describe('the migrations of the acoustic service', () => {
  let postgres: EmbeddedPostgres;
  let schema: TemporarySchema;
  beforeAll(async () => {
    postgres = await startTemporaryPostgres();
    schema = new TemporarySchema(postgres, 'acoustic', migrations);
  });
  beforeEach(() => schema.empty());
  afterAll(() => postgres?.stop());

  it.each(migrations.map((migration, i) => [migration.name, i + 1] as const))(
    '%s: undone, it leaves the schema as it was, and done again as it had been',
    async (_name, count) => {
      const { before, done, undone, redone } = await schema.redo(count);
      expect(done).not.toEqual(before);
      expect(undone).toEqual(before);
      expect(redone).toEqual(done);
    },
  );
});

describe('the role of the acoustic service', () => {
  let acoustic: AcousticOnBus;
  let role: DataSource;
  beforeAll(async () => {
    acoustic = await startAcousticOnBus();
    role = await new DataSource({ type: 'postgres', url: acoustic.postgres.urlFor('acoustic') }).initialize();
  });
  afterAll(async () => {
    await role?.destroy();
    await acoustic?.close();
  });

  it.each([
    `UPDATE acoustic.pairing_challenge SET device_id = 'another'`,
    `UPDATE acoustic.pairing_challenge SET expires_at = now() + interval '1 year'`,
    `UPDATE acoustic.beacon SET secret_hash = decode(repeat('00', 32), 'hex')`,
    `UPDATE acoustic.tool_call SET request_digest = NULL`,
    `TRUNCATE acoustic.pairing_challenge`,
  ])('may not do what the service never does: %s', async statement => {
    await expect(role.query(statement)).rejects.toThrow('permission denied');
  });
});

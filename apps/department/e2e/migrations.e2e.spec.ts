import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type EmbeddedPostgres, schemaShape, startTemporaryPostgres, TemporarySchema } from '@svc/platform';
import { departmentService } from '../src/index.js';

const { migrations } = departmentService;

let postgres: EmbeddedPostgres;
let schema: TemporarySchema;
beforeAll(async () => {
  postgres = await startTemporaryPostgres();
  schema = new TemporarySchema(postgres, 'department', migrations);
});
beforeEach(() => schema.empty());
afterAll(() => postgres?.stop());

/** The first migration of all also makes the list of migrations, which stays. */
const withoutList = (shape: Awaited<ReturnType<typeof schemaShape>>) =>
  shape.filter(line => !JSON.stringify(line).includes('migrations'));

describe('the migrations of the department', () => {
  it.each(migrations.map((migration, i) => [migration.name, i + 1] as const))(
    '%s: undone, it leaves the schema as it was, and done again as it had been',
    async (_name, count) => {
      const before = await schema.migratedTo(count - 1, schemaShape);
      await schema.migratedTo(count, async database => {
        const after = await schemaShape(database);
        expect(withoutList(after)).not.toEqual(withoutList(before));
        await database.undoLastMigration({ transaction: 'all' });
        expect(withoutList(await schemaShape(database))).toEqual(withoutList(before));
        await database.runMigrations({ transaction: 'all' });
        expect(await schemaShape(database)).toEqual(after);
      });
    },
  );
});

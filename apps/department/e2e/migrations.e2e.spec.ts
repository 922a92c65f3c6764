import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type EmbeddedPostgres } from '@svc/platform';
import { startTemporaryPostgres, TemporarySchema } from '@svc/platform/testing';
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

describe('the migrations of the department', () => {
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

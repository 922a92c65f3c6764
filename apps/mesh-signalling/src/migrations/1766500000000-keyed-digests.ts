import { type DigestColumn, keyDigestColumn, unkeyDigestColumn } from '@svc/platform';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export const DIGEST_COLUMNS: readonly [DigestColumn] = [
  {
    ...{ table: 'mesh_session', column: 'request_digest' },
    ...{ id: ['session_id', 'text'], owner: 'session_id', isBytes: true },
  },
];

/** Digests of requests are keyed, since a short request is found from a plain one by trying. */
export class KeyedDigests1766500000000 implements MigrationInterface {
  readonly name = 'KeyedDigests1766500000000';

  async up(runner: QueryRunner): Promise<void> {
    await keyDigestColumn(runner, DIGEST_COLUMNS[0]);
  }

  async down(runner: QueryRunner): Promise<void> {
    await unkeyDigestColumn(runner, DIGEST_COLUMNS[0]);
  }
}

import type { WalCheckpoint, WalInclusion } from '@svc/contracts';
import { inclusionOf, publishCheckpoint, type WalHead } from '@svc/durability';
import type { DataSource } from 'typeorm';
import type { z } from 'zod';
import type { WalEvidence } from '../execute/wal-evidence.js';
import { type CheckpointKeeper, leavesOf } from './checkpoint-keeper.js';
import { CHECKPOINT_COLUMNS, checkpointOf } from './checkpoint-rows.js';

/** Trees that are kept: of the newest checkpoints, which are asked for. */
const TREES_MAX = 8;

/** What answers and sagas show of the checkpoints. */
export class WalInclusions implements WalEvidence {
  private readonly trees = new Map<number, Promise<readonly WalHead[]>>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly keeper: CheckpointKeeper,
  ) {}

  newestCheckpoint(): WalCheckpoint | undefined {
    return this.keeper.newestCheckpoint();
  }

  async inclusionOf(sagaId: string): Promise<z.infer<typeof WalInclusion> | undefined> {
    const [row]: Record<string, unknown>[] = await this.dataSource.query(
      `SELECT leaf_index, wal_count, ${CHECKPOINT_COLUMNS}
         FROM wal_checkpoint_leaf JOIN wal_checkpoint USING (number)
        WHERE saga_id = $1 ORDER BY number DESC LIMIT 1`,
      [sagaId],
    );
    if (!row) return undefined;
    const checkpoint = checkpointOf(row);
    const leafIndex = row.leaf_index as number;
    const path = inclusionOf(await this.treeOf(checkpoint.number), leafIndex).map(digest => `0x${digest}`);
    return {
      checkpoint: publishCheckpoint(checkpoint),
      leafIndex,
      walCount: row.wal_count as number,
      path,
    };
  }

  private treeOf(number: number): Promise<readonly WalHead[]> {
    const known = this.trees.get(number);
    if (known) return known;
    const query = (text: string, values?: readonly unknown[]) =>
      this.dataSource.query(text, [...(values ?? [])]);
    const tree = leavesOf({ query }, { number });
    this.trees.set(number, tree);
    tree.catch(() => this.trees.delete(number));
    for (const oldest of this.trees.keys()) {
      if (this.trees.size <= TREES_MAX) break;
      this.trees.delete(oldest);
    }
    return tree;
  }
}

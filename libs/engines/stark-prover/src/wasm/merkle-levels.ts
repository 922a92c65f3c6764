import { capNodeCount, DIGEST_BYTES, type KernelCall, type KernelExecutor, parentsOf } from '@svc/kernels';
import { runTasks } from './small-work.js';

/** The levels of a Merkle tree in kernel memory, from the leaves' hashes to the cap. */
export class MerkleLevels {
  private readonly levels: number[] = [];

  constructor(
    private readonly executor: KernelExecutor,
    private readonly leafCount: number,
    /** Address of the key of inner nodes. */
    private readonly nodeKey: number,
  ) {
    for (let count = leafCount; count >= capNodeCount(leafCount); count /= 2) {
      this.levels.push(executor.arena.allocate(count * DIGEST_BYTES));
      if (count === 1) break;
    }
  }

  /** Where the leaves' hashes belong. */
  get leafHashes(): number {
    return this.levels[0];
  }

  /** The level that the commitment consists of, 32 bytes a node. */
  get cap(): Uint8Array {
    const nodeCount = capNodeCount(this.leafCount);
    return this.executor.arena.bytes(this.levels[this.levels.length - 1], nodeCount * DIGEST_BYTES).slice();
  }

  /** Every level above the leaves: one task for the whole subtree below some nodes of the last level. */
  async hashNodes(): Promise<void> {
    const { executor, levels, leafCount, nodeKey } = this;
    // A power of two, so that each part is a subtree.
    const parts = Math.min(capNodeCount(leafCount), 2 ** Math.floor(Math.log2(4 * executor.concurrency)));
    const tasks = Array.from({ length: parts }, (_, part) =>
      levels.slice(1).map((parents, i): KernelCall => {
        const count = (leafCount >> (i + 1)) / parts;
        const first = part * count;
        const children = levels[i] + 2 * first * DIGEST_BYTES;
        return ['hashParents', parents + first * DIGEST_BYTES, children, count, nodeKey];
      }),
    );
    if (levels.length > 1) await runTasks(executor, 40 * leafCount, tasks);
  }

  /** The multiproof's nodes. @param indices distinct leaf indices, ascending */
  open(indices: readonly number[]): Uint8Array {
    const { arena } = this.executor;
    const nodes: Uint8Array[] = [];
    let known = indices;
    for (const level of this.levels.slice(0, -1)) {
      for (let i = 0; i < known.length; i++) {
        if (known[i + 1] === (known[i] ^ 1)) i++;
        else nodes.push(arena.bytes(level + (known[i] ^ 1) * DIGEST_BYTES, DIGEST_BYTES));
      }
      known = parentsOf(known);
    }
    const bytes = new Uint8Array(nodes.length * DIGEST_BYTES);
    nodes.forEach((node, i) => bytes.set(node, i * DIGEST_BYTES));
    return bytes;
  }
}

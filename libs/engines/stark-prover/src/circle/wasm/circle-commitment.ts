import type { KernelCall, KernelExecutor } from '@svc/kernels';
import { SALT_BYTES } from '@svc/stark-verifier';
import type { TreeOpening } from '../../backend.js';
import type { MerkleKeys } from '../../wasm/coset-commitment.js';
import { MerkleLevels } from '../../wasm/merkle-levels.js';
import { runTasks } from '../../wasm/small-work.js';
import { type CircleDomain, cosetOf } from './circle-twiddles.js';

/** What is committed to. */
export interface CommittedCircleColumns {
  /** Addresses of the coefficients of base polynomials; a QM31 polynomial is four. */
  readonly coefficients: readonly number[];
  /** log2 of the number of coefficients: the domain's N, or fewer on a line that it is folded to. */
  readonly log2Length: number;
  /** Address of the leaves' salts, 16 bytes each, or 0 for none. */
  readonly salts: number;
}

const LEAVES_PER_CALL = 1024;
const ROWS_PER_LEAF = 8;
const COSETS_PER_PAIR = 2;
const DIGEST_BYTES = 32;

/**
 * Polynomials on the circle or on a line it is folded to, their low-degree extension, and the Merkle tree over its leaves of
 * eight. Extensions lie pair by pair (2N positions a column). Where memory does not allow for the whole, one pair is kept, and
 * what is opened of the others is computed again.
 */
export class CircleCommitment {
  private readonly tree: MerkleLevels;
  private readonly evaluations: number;
  private heldPair: number | undefined;

  private constructor(
    private readonly executor: KernelExecutor,
    private readonly domain: CircleDomain,
    private readonly columns: CommittedCircleColumns,
    private readonly keys: MerkleKeys,
    private readonly isRetained: boolean,
  ) {
    const pairCount = this.cosetCount / COSETS_PER_PAIR;
    this.evaluations = executor.arena.allocate((isRetained ? pairCount : 1) * this.pairBytes);
    const leafCount = (this.cosetCount * this.cosetLength) / ROWS_PER_LEAF;
    this.tree = new MerkleLevels(executor, leafCount, keys.node);
  }

  /**
   * Extends and commits.
   * @param isRetained whether the whole extension stays in memory
   */
  static async create(
    executor: KernelExecutor,
    domain: CircleDomain,
    columns: CommittedCircleColumns,
    keys: MerkleKeys,
    isRetained: boolean,
  ): Promise<CircleCommitment> {
    const commitment = new CircleCommitment(executor, domain, columns, keys, isRetained);
    await commitment.commit();
    return commitment;
  }

  /** 32 bytes a node. */
  get cap(): Uint8Array {
    return this.tree.cap;
  }

  /** Bytes between two columns of a pair. */
  get strideBytes(): number {
    return 4 * COSETS_PER_PAIR * this.cosetLength;
  }

  /** Address of a pair's values, column after column in circle order; valid until the next one is asked for. */
  async pair(index: number): Promise<number> {
    if (!this.isRetained && this.heldPair !== index) {
      this.heldPair = index;
      await this.executor.run(this.cosetsOfPair(index).flatMap(coset => this.extension(coset)));
    }
    return this.pairAddress(index);
  }

  /** @param indices distinct leaf indices, ascending */
  async open(indices: readonly number[]): Promise<TreeOpening> {
    return { leaves: await this.openLeaves(indices), nodes: this.tree.open(indices) };
  }

  private async commit(): Promise<void> {
    const { executor, cosetCount, nanoseconds } = this;
    const cosets = Array.from({ length: cosetCount }, (_, coset) => coset);
    if (!this.isRetained) {
      // The first pair last: the composition and the DEEP polynomial begin with it.
      for (let pair = cosetCount / COSETS_PER_PAIR - 1; pair >= 0; pair--) {
        await this.pair(pair);
        await executor.run(this.cosetsOfPair(pair).flatMap(coset => this.leafHashing(coset)));
      }
    } else if (cosetCount >= 4 * executor.concurrency) {
      const tasks = cosets.map(coset => [...this.extension(coset), ...this.leafHashing(coset)]);
      await runTasks(executor, nanoseconds, tasks);
    } else {
      await runTasks(
        executor,
        nanoseconds / 2,
        cosets.flatMap(coset => this.extension(coset)),
      );
      await runTasks(
        executor,
        nanoseconds / 2,
        cosets.flatMap(coset => this.leafHashing(coset)),
      );
    }
    await this.tree.hashNodes();
  }

  /** What extending and hashing takes, roughly: transforms and compressions, half each. */
  private get nanoseconds(): number {
    return 8 * this.columns.coefficients.length * this.cosetCount * this.cosetLength;
  }

  private get cosetCount(): number {
    return 2 ** this.domain.log2Blowup;
  }

  private get cosetLength(): number {
    return 2 ** this.columns.log2Length;
  }

  private get pairBytes(): number {
    return this.columns.coefficients.length * this.strideBytes;
  }

  private pairAddress(index: number): number {
    return this.evaluations + (this.isRetained ? index * this.pairBytes : 0);
  }

  private cosetsOfPair(pair: number): number[] {
    return [COSETS_PER_PAIR * pair, COSETS_PER_PAIR * pair + 1];
  }

  private cosetAddress(coset: number): number {
    const half = coset % COSETS_PER_PAIR;
    return this.pairAddress((coset - half) / COSETS_PER_PAIR) + 4 * half * this.cosetLength;
  }

  private extension(coset: number): KernelCall[] {
    const { coefficients, log2Length } = this.columns;
    const { tree, root } = cosetOf(this.domain, coset);
    const at = this.cosetAddress(coset);
    return coefficients.map(
      (source, c) => ['circleFft', at + c * this.strideBytes, source, log2Length, tree, root] as const,
    );
  }

  private leafHashing(coset: number): KernelCall[] {
    const { coefficients, salts } = this.columns;
    const count = this.cosetLength / ROWS_PER_LEAF;
    const hashes = this.tree.leafHashes + coset * count * DIGEST_BYTES;
    const ownSalts = salts && salts + coset * count * SALT_BYTES;
    const source = [this.cosetAddress(coset), this.strideBytes, coefficients.length] as const;
    const calls: KernelCall[] = [];
    for (let first = 0; first < count; first += LEAVES_PER_CALL) {
      const part = Math.min(LEAVES_PER_CALL, count - first);
      calls.push(['circleHashLeaves', hashes, ...source, first, part, ownSalts, this.keys.leaf]);
    }
    return calls;
  }

  private async openLeaves(indices: readonly number[]): Promise<Uint8Array> {
    const { arena, kernels } = this.executor;
    const { coefficients, salts } = this.columns;
    const width = coefficients.length;
    const rowBytes = ROWS_PER_LEAF * width * 4;
    const leafBytes = rowBytes + (salts ? SALT_BYTES : 0);
    const leavesPerCoset = this.cosetLength / ROWS_PER_LEAF;
    const mark = arena.usedBytes;
    const packed = arena.allocate(rowBytes);
    const leaves = new Uint8Array(indices.length * leafBytes);
    for (let coset = 0; coset < this.cosetCount; coset++) {
      const first = coset * leavesPerCoset;
      const inCoset = indices.flatMap((index, slot) =>
        index >= first && index < first + leavesPerCoset ? [{ slot, index, leaf: index - first }] : [],
      );
      if (inCoset.length === 0) continue;
      const at = await this.leavesOfCoset(
        coset,
        inCoset.map(({ leaf }) => leaf),
      );
      for (const { slot, index, leaf } of inCoset) {
        kernels.circlePackLeaf(packed, at, this.strideBytes, width, leaf);
        leaves.set(arena.bytes(packed, rowBytes), slot * leafBytes);
        if (salts)
          leaves.set(arena.bytes(salts + SALT_BYTES * index, SALT_BYTES), slot * leafBytes + rowBytes);
      }
    }
    arena.release(mark);
    return leaves;
  }

  /** Address of a coset's values, of which these leaves are there. @param leaves ascending */
  private async leavesOfCoset(coset: number, leaves: readonly number[]): Promise<number> {
    const { executor, domain, columns } = this;
    const { arena } = executor;
    const pair = Math.floor(coset / COSETS_PER_PAIR);
    const at = this.cosetAddress(coset);
    if (this.isRetained || this.heldPair === pair) return at;
    this.heldPair = undefined;
    const mark = arena.usedBytes;
    const numbers = arena.storeWords(leaves);
    const { tree, root } = cosetOf(domain, coset);
    const wanted = [columns.log2Length, tree, root, numbers, leaves.length] as const;
    await runTasks(
      executor,
      8 * this.cosetLength * columns.coefficients.length,
      columns.coefficients.map(
        (source, c) => ['circleFftLeaves', at + c * this.strideBytes, source, ...wanted] as const,
      ),
    );
    arena.release(mark);
    return at;
  }
}

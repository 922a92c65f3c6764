import { type KernelCall, type KernelExecutor, reverseBits } from '@svc/kernels';
import { SALT_BYTES } from '@svc/stark-verifier';
import type { TreeOpening } from '../backend.js';
import type { CosetDomain } from './coset-domain.js';
import { MerkleLevels } from './merkle-levels.js';

/** Addresses of the two hash keys, 32 bytes each. */
export interface MerkleKeys {
  readonly leaf: number;
  readonly node: number;
}

/** What is committed to. */
export interface CommittedColumns {
  /** Address of the coefficients of `width` base polynomials, one after the other; an extension polynomial is several. */
  readonly coefficients: number;
  readonly width: number;
  /** Address of the leaves' salts, 16 bytes each, or 0 for none. */
  readonly salts: number;
}

const LEAVES_PER_CALL = 1024;
const ROWS_PER_LEAF = 8;

/**
 * Polynomials, their low-degree extension, and the Merkle tree over its FRI cosets. Where memory does not allow for the
 * whole extension, one coset at a time is kept, and what is opened of the others is computed again.
 */
export class CosetCommitment {
  private readonly levels: MerkleLevels;
  private evaluations = 0;
  private heldCoset: number | undefined;

  private constructor(
    private readonly executor: KernelExecutor,
    private readonly domain: CosetDomain,
    private readonly columns: CommittedColumns,
    private readonly keys: MerkleKeys,
    /** Whether the whole extension stays in memory. */
    readonly isRetained: boolean,
  ) {
    const leafCount = 2 ** (domain.log2Size + domain.log2Blowup) / ROWS_PER_LEAF;
    this.levels = new MerkleLevels(executor, leafCount, keys.node);
  }

  /**
   * Extends and commits.
   * @param isRetained whether the whole extension stays in memory
   */
  static async create(
    executor: KernelExecutor,
    domain: CosetDomain,
    columns: CommittedColumns,
    keys: MerkleKeys,
    isRetained: boolean,
  ): Promise<CosetCommitment> {
    const commitment = new CosetCommitment(executor, domain, columns, keys, isRetained);
    await commitment.commit();
    return commitment;
  }

  /** The level that the commitment consists of, 32 bytes a node. */
  get cap(): Uint8Array {
    return this.levels.cap;
  }

  /** Bytes between two columns of a coset. */
  get strideBytes(): number {
    return 8 << this.domain.log2Size;
  }

  /** Address of a coset's evaluations, column after column in bit-reversed order; valid until the next one is asked for. */
  async coset(index: number): Promise<number> {
    if (!this.isRetained && this.heldCoset !== index) {
      await this.executor.run(this.extension(index));
      this.heldCoset = index;
    }
    return this.cosetAddress(index);
  }

  /** @param indices distinct leaf indices, ascending */
  async open(indices: readonly number[]): Promise<TreeOpening> {
    return { leaves: await this.openLeaves(indices), nodes: this.levels.open(indices) };
  }

  private async commit(): Promise<void> {
    const { executor, domain } = this;
    const cosetCount = domain.shifts.length;
    this.evaluations = executor.arena.allocate((this.isRetained ? cosetCount : 1) * this.cosetBytes);
    const cosets = domain.shifts.map((_, c) => c);
    if (!this.isRetained) {
      for (const c of cosets.reverse()) {
        await this.coset(c);
        await executor.run(this.leafHashing(c));
      }
    } else if (cosetCount >= 4 * executor.concurrency) {
      await executor.run(cosets.map(c => [...this.extension(c), ...this.leafHashing(c)]));
    } else {
      await executor.run(cosets.flatMap(c => this.extension(c)));
      await executor.run(cosets.flatMap(c => this.leafHashing(c)));
    }
    await this.levels.hashNodes();
  }

  private get cosetBytes(): number {
    return this.columns.width * this.strideBytes;
  }

  private cosetAddress(index: number): number {
    return this.evaluations + (this.isRetained ? index * this.cosetBytes : 0);
  }

  private extension(coset: number): KernelCall[] {
    const { domain, columns, strideBytes } = this;
    const at = this.cosetAddress(coset);
    return Array.from({ length: columns.width }, (_, column) => {
      const offset = column * strideBytes;
      return [
        'ntt',
        at + offset,
        columns.coefficients + offset,
        domain.log2Size,
        domain.trees[coset],
      ] as const;
    });
  }

  private leafHashing(coset: number): KernelCall[] {
    const { log2Size, log2Blowup } = this.domain;
    const { width, salts } = this.columns;
    const count = 2 ** log2Size / ROWS_PER_LEAF;
    const calls: KernelCall[] = [];
    for (let first = 0; first < count; first += LEAVES_PER_CALL) {
      const part = Math.min(LEAVES_PER_CALL, count - first);
      const at = this.cosetAddress(coset);
      calls.push([
        'hashCosetLeaves',
        this.levels.leafHashes,
        at,
        this.strideBytes,
        width,
        log2Size,
        coset,
        log2Blowup,
        first,
        part,
        salts,
        this.keys.leaf,
      ]);
    }
    return calls;
  }

  private async openLeaves(indices: readonly number[]): Promise<Uint8Array> {
    const { executor, domain, columns } = this;
    const { arena } = executor;
    const { width, salts } = columns;
    const rowBytes = ROWS_PER_LEAF * width * 8;
    const leafBytes = rowBytes + (salts ? SALT_BYTES : 0);
    const mark = arena.usedBytes;
    const packed = arena.allocate(rowBytes);
    const leaves = new Uint8Array(indices.length * leafBytes);
    const opened = indices.map((leaf, slot) => ({
      leaf,
      slot,
      group: reverseBits(leaf >> domain.log2Blowup, domain.log2Size - 3),
    }));
    for (let coset = 0; coset < domain.shifts.length; coset++) {
      const inCoset = opened.filter(({ leaf }) => leaf % domain.shifts.length === coset);
      if (inCoset.length === 0) continue;
      const at = await this.cosetGroups(
        coset,
        inCoset.map(({ group }) => group),
      );
      for (const { leaf, slot, group } of inCoset) {
        executor.kernels.packLeaf(packed, at, this.strideBytes, width, group);
        leaves.set(arena.bytes(packed, rowBytes), slot * leafBytes);
        if (salts)
          leaves.set(arena.bytes(salts + SALT_BYTES * leaf, SALT_BYTES), slot * leafBytes + rowBytes);
      }
    }
    arena.release(mark);
    return leaves;
  }

  /** As `coset`, but no more than the groups of eight rows need be right. */
  private async cosetGroups(index: number, groups: readonly number[]): Promise<number> {
    if (this.isRetained || this.heldCoset === index) return this.cosetAddress(index);
    const { executor, domain, columns, strideBytes } = this;
    const list = executor.arena.storeWords(groups);
    this.heldCoset = undefined;
    await executor.run(
      Array.from({ length: columns.width }, (_, column) => {
        const offset = column * strideBytes;
        const [to, from] = [this.evaluations + offset, columns.coefficients + offset];
        return ['nttGroups', to, from, domain.log2Size, domain.trees[index], list, groups.length] as const;
      }),
    );
    return this.evaluations;
  }
}

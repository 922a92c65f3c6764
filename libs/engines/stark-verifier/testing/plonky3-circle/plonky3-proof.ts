import { type Ext, M31_MODULUS } from '@svc/kernels';

/** One tree's openings: a row of each matrix for each query, and the pruned sibling hashes. */
export interface MatrixOpenings<E> {
  readonly rows: readonly (readonly (readonly E[])[])[];
  readonly siblings: readonly Uint8Array[];
}

export interface FoldRound {
  readonly siblings: readonly Ext[];
  readonly siblingHashes: readonly Uint8Array[];
}

/** `Proof<CircleConfig>` of Plonky3's uni-stark. */
export interface Plonky3CircleProof {
  readonly traceCommitment: Uint8Array;
  readonly quotientCommitment: Uint8Array;
  readonly traceLocal: readonly Ext[];
  readonly traceNext: readonly Ext[];
  readonly quotientChunk: readonly Ext[];
  readonly firstLayerCommitment: Uint8Array;
  readonly lambdas: readonly Ext[];
  readonly layerCommitments: readonly Uint8Array[];
  readonly trace: MatrixOpenings<bigint>;
  readonly quotient: MatrixOpenings<bigint>;
  readonly firstLayerSiblings: readonly (readonly Ext[])[];
  readonly firstLayerHashes: readonly Uint8Array[];
  readonly rounds: readonly FoldRound[];
  readonly finalPolynomial: Ext;
  readonly powWitness: bigint;
}

/** Not an encoding of such a proof. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

/** Sizes that the statement and the configuration fix. */
export interface ProofShape {
  readonly columnCount: number;
  readonly queryCount: number;
  readonly roundCount: number;
  readonly logRows: number;
}

const DEGREE = 3;
const DIGEST_BYTES = 32;

class PostcardReader {
  private offset = 0;

  constructor(private readonly bytes: Uint8Array) {}

  byte(): number {
    if (this.offset >= this.bytes.length) throw new DecodeError('truncated');
    return this.bytes[this.offset++];
  }

  /** A length or an option's tag, of one byte here: it must be what the statement makes it. */
  expect(value: number): void {
    if (this.byte() !== value) throw new DecodeError(`expected ${value} at byte ${this.offset - 1}`);
  }

  /** An unsigned integer in groups of 7 bits, lowest first, without a needless group. */
  varint(): number {
    let value = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const group = this.byte();
      value += (group & 0x7f) * 2 ** shift;
      if (group < 0x80) {
        if (group === 0 && shift > 0) throw new DecodeError('overlong integer');
        return value;
      }
    }
    throw new DecodeError('integer out of range');
  }

  element(): bigint {
    const [a, b, c, d] = [this.byte(), this.byte(), this.byte(), this.byte()];
    const value = BigInt(a + b * 2 ** 8 + c * 2 ** 16 + d * 2 ** 24);
    if (value >= M31_MODULUS) throw new DecodeError('element out of range');
    return value;
  }

  extension(): Ext {
    return this.times(DEGREE, () => this.element());
  }

  digest(): Uint8Array {
    return Uint8Array.from({ length: DIGEST_BYTES }, () => this.byte());
  }

  /** A commitment: a cap of one digest. */
  cap(): Uint8Array {
    this.expect(1);
    return this.digest();
  }

  times<T>(count: number, read: () => T): T[] {
    return Array.from({ length: count }, read);
  }

  /** A vector whose length is known. */
  vector<T>(count: number, read: () => T): T[] {
    if (this.varint() !== count) throw new DecodeError('unexpected length');
    return this.times(count, read);
  }

  /** Hashes as many as the proof says: what does not fit is found when they are used. */
  hashes(): Uint8Array[] {
    const count = this.varint();
    if (count * DIGEST_BYTES > this.bytes.length - this.offset) throw new DecodeError('truncated');
    return this.times(count, () => this.digest());
  }

  end(): void {
    if (this.offset !== this.bytes.length) throw new DecodeError('trailing bytes');
  }
}

/** @throws DecodeError */
export function decodePlonky3Proof(bytes: Uint8Array, shape: ProofShape): Plonky3CircleProof {
  const { columnCount, queryCount, roundCount, logRows } = shape;
  const reader = new PostcardReader(bytes);
  const extensions = (count: number) => reader.vector(count, () => reader.extension());
  const matrixOpenings = (width: number): MatrixOpenings<bigint> => ({
    rows: reader.vector(queryCount, () =>
      reader.vector(1, () => reader.vector(width, () => reader.element())),
    ),
    siblings: reader.hashes(),
  });

  const traceCommitment = reader.cap();
  const quotientCommitment = reader.cap();
  reader.expect(0); // no random commitment
  const traceLocal = extensions(columnCount);
  reader.expect(1);
  const traceNext = extensions(columnCount);
  reader.expect(0); // no preprocessed columns, at either row
  reader.expect(0);
  const [quotientChunk] = reader.vector(1, () => extensions(DEGREE));
  reader.expect(0); // no random values
  const firstLayerCommitment = reader.cap();
  const lambdas = extensions(2);
  const layerCommitments = reader.vector(roundCount, () => reader.cap());
  // Unused, since no commit-phase grinding is asked for.
  reader.vector(roundCount, () => reader.element());
  reader.expect(2); // batches
  const trace = matrixOpenings(columnCount);
  const quotient = matrixOpenings(DEGREE);
  const firstLayerSiblings = reader.vector(queryCount, () => extensions(2));
  const firstLayerHashes = reader.hashes();
  const rounds = reader.vector(roundCount, () => {
    reader.expect(1); // log2 of the arity
    const siblings = reader.vector(queryCount, () => extensions(1)[0]);
    return { siblings, siblingHashes: reader.hashes() };
  });
  const finalPolynomial = reader.extension();
  const powWitness = reader.element();
  reader.expect(logRows);
  reader.end();
  return {
    traceCommitment,
    quotientCommitment,
    traceLocal,
    traceNext,
    quotientChunk,
    firstLayerCommitment,
    lambdas,
    layerCommitments,
    trace,
    quotient,
    firstLayerSiblings,
    firstLayerHashes,
    rounds,
    finalPolynomial,
    powWitness,
  };
}

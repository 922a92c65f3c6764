import type { ProofParameters } from './proof-parameters.js';
import {
  baseToBytes,
  batchInverse,
  evaluateOnCoset,
  evaluatePolynomial,
  type Ext,
  extToBytes,
  goldilocks,
  GOLDILOCKS_MODULUS,
  interpolateOnCoset,
  MerkleTree,
  power,
  powers,
  rootOfUnity,
  Transcript,
} from '@svc/kernels';
import { foldedSlots, withoutFolds } from './folded-slots.js';
import { proofGeometry } from './proof-geometry.js';
import { ProofReader } from './proof-reader.js';
import { checkQueries } from './queries.js';
import { referenceVerifierBackend } from './reference-backend.js';

// A prover of the opening argument alone, written from the definitions and not from the reference prover: polynomials are
// evaluated one by one, DEEP is divided pointwise, and folding takes the coefficients apart.
const TRACE_LENGTH = 4096;
const LAYER_LEAVES = 128;
// Two queries that are one, two that fold into one leaf of layer 1, and eight that fold into all slots of another.
const WHOLE_LEAF = [37, 165, 293, 421, 549, 677, 805, 933];
const POSITIONS = [5, 700, 5, 133, ...WHOLE_LEAF];
const DISTINCT = [...new Set(POSITIONS)].sort((a, b) => a - b);
const COSETS = [5, 37, 700];

describe.each([
  ['gl3', false],
  ['gl2', true],
] as const)('the opening argument of %s, zero knowledge: %p', (profileName, zeroKnowledge) => {
  const parameters: ProofParameters = {
    profile: profileName,
    traceLength: TRACE_LENGTH,
    blowupFactor: 2,
    queryCount: POSITIONS.length,
    grindingBits: 0,
    zeroKnowledge,
  };
  const geometry = proofGeometry(parameters, { columnCount: 3, constraintDegree: 3 });
  const { domainSize, leafCounts, saltBytes, compositionColumnCount } = geometry;
  const { extension: E } = geometry.profile;
  const { degree } = E;
  const omega = rootOfUnity(13);

  const source = new Transcript();
  source.absorb(degree, Uint8Array.of(saltBytes));
  const columns = [0, 1, 2].map(() => Array.from({ length: TRACE_LENGTH }, () => source.drawBase()));
  const chunks = Array.from({ length: compositionColumnCount }, () =>
    Array.from({ length: TRACE_LENGTH }, () => source.drawExtension(degree)),
  );
  const z = source.drawOutsideBase(degree);
  const gamma = source.drawExtension(degree);
  const lambdas = [source.drawExtension(degree), source.drawExtension(degree)];

  const columnRows = columns.map(column => evaluateOnCoset(goldilocks, column, 7n, domainSize));
  const chunkRows = chunks.map(chunk => evaluateOnCoset(E, chunk, 7n, domainSize));
  const lift = (column: readonly bigint[]) => column.map(c => E.fromBase(c));
  const zNext = E.scale(z, rootOfUnity(12));
  const values = {
    traceAtZ: columns.map(column => evaluatePolynomial(E, lift(column), z)),
    traceAtZNext: columns.map(column => evaluatePolynomial(E, lift(column), zNext)),
    compositionAtZ: chunks.map(chunk => evaluatePolynomial(E, chunk, z)),
  };

  /** deep as the sum over all quotients, each with its own power of γ. */
  function deepValues(): Ext[] {
    const points = powers(goldilocks, omega, domainSize).map(x => E.fromBase(goldilocks.mul(7n, x)));
    const atZ = batchInverse(
      E,
      points.map(x => E.sub(x, z)),
    );
    const atZNext = batchInverse(
      E,
      points.map(x => E.sub(x, zNext)),
    );
    const weights = powers(E, gamma, 2 * columns.length + chunks.length);
    return points.map((_, row) => {
      const quotients = [
        ...columnRows.map((column, i) => E.mul(E.sub(E.fromBase(column[row]), values.traceAtZ[i]), atZ[row])),
        ...chunkRows.map((chunk, k) => E.mul(E.sub(chunk[row], values.compositionAtZ[k]), atZ[row])),
        ...columnRows.map((column, i) =>
          E.mul(E.sub(E.fromBase(column[row]), values.traceAtZNext[i]), atZNext[row]),
        ),
      ];
      return quotients.reduce((sum, quotient, i) => E.add(sum, E.mul(weights[i], quotient)), E.zero);
    });
  }

  /** Σ λ^k · F_k for f = Σ X^k · F_k(X^8), on coefficients. */
  function foldCoefficients(coefficients: readonly Ext[], lambda: Ext): Ext[] {
    const weights = powers(E, lambda, 8);
    return Array.from({ length: coefficients.length / 8 }, (_, i) =>
      weights.reduce((sum, weight, k) => E.add(sum, E.mul(weight, coefficients[8 * i + k])), E.zero),
    );
  }

  const deepCoefficients = interpolateOnCoset(E, deepValues(), 7n);
  const layer1 = foldCoefficients(deepCoefficients.slice(0, TRACE_LENGTH), lambdas[0]);
  const layer1Rows = evaluateOnCoset(E, layer1, power(goldilocks, 7n, 8n), domainSize / 8);
  const finalPolynomial = foldCoefficients(layer1, lambdas[1]);

  const rowsOf = (coset: number, leafCount: number) =>
    [0, 1, 2, 3, 4, 5, 6, 7].map(k => coset + k * leafCount);
  const leafCosets = (leafCount: number) =>
    Array.from({ length: leafCount }, (_, coset) => rowsOf(coset, leafCount));
  const salt = (coset: number) => new Uint8Array(saltBytes).fill(coset);
  const treeOf = (
    leafCount: number,
    leafBytes: number,
    leafOf: (rows: number[], coset: number) => Uint8Array,
  ) => {
    const leaves = new Uint8Array(leafCount * leafBytes);
    leafCosets(leafCount).forEach((rows, coset) => leaves.set(leafOf(rows, coset), coset * leafBytes));
    return new MerkleTree(leaves, leafBytes);
  };
  const salted = (bytes: Uint8Array, coset: number) => Uint8Array.from([...bytes, ...salt(coset)]);
  const traceTree = (rows: readonly bigint[][]) =>
    treeOf(leafCounts[0], geometry.traceLeafBytes, (leaf, coset) =>
      salted(baseToBytes(leaf.flatMap(row => rows.map(column => column[row]))), coset),
    );
  const compositionTree = (rows: readonly Ext[][]) =>
    treeOf(leafCounts[0], geometry.compositionLeafBytes, (leaf, coset) =>
      salted(extToBytes(leaf.flatMap(row => rows.map(chunk => chunk[row]))), coset),
    );
  const layerTree = (layer: readonly Ext[]) =>
    treeOf(LAYER_LEAVES, geometry.layerLeafBytes, leaf => extToBytes(leaf.map(row => layer[row])));
  const honest = {
    trace: traceTree(columnRows),
    composition: compositionTree(chunkRows),
    layer: layerTree(layer1Rows),
  };

  function check(
    change: {
      trace?: MerkleTree;
      composition?: MerkleTree;
      layer?: MerkleTree;
      final?: Ext[];
      extra?: number;
      caps?: typeof honest;
    } = {},
  ): ReturnType<typeof checkQueries> {
    const { trace, composition, layer } = { ...honest, ...change };
    const caps = change.caps ?? { trace, composition, layer };
    const layerLeaves = [...new Set(DISTINCT.map(q => q % LAYER_LEAVES))].sort((a, b) => a - b);
    const slots = foldedSlots(geometry, 1, DISTINCT, layerLeaves);
    const openedLayer = layer.open(layerLeaves);
    const opened = [
      trace.open(DISTINCT),
      composition.open(DISTINCT),
      { leaves: withoutFolds(geometry, slots, openedLayer.leaves), nodes: openedLayer.nodes },
    ];
    const bytes = Uint8Array.from([
      ...opened.flatMap(({ leaves, nodes }) => [...leaves, ...nodes]),
      ...new Uint8Array(change.extra ?? 0),
    ]);
    return checkQueries({
      geometry,
      positions: POSITIONS,
      caps: { trace: caps.trace.cap, composition: caps.composition.cap, layers: [caps.layer.cap] },
      point: [z],
      gamma,
      values,
      lambdas,
      finalPolynomial: BigUint64Array.from((change.final ?? finalPolynomial).flat()),
      reader: new ProofReader(bytes),
      backend: referenceVerifierBackend,
    });
  }

  const units: readonly Ext[] = Array.from({ length: degree }, (_, c) =>
    Array.from({ length: degree }, (_, i) => (i === c ? 1n : 0n)),
  );
  const bump = (a: Ext, coordinate = 0): Ext => E.add(a, units[coordinate]);

  it('accepts openings of an opening argument made from the definitions', () => {
    expect(geometry.foldCount).toBe(2);
    expect(deepCoefficients.slice(TRACE_LENGTH).every(c => E.equals(c, E.zero))).toBe(true);
    expect(check()).toBeUndefined();
  });

  it('holds no value of a leaf that folds alone fill, and 8 less the folds of another', () => {
    const slots = foldedSlots(geometry, 1, DISTINCT, [5, 37, 60]);
    const folds = [0, 1, 2].map(leaf => slots.slice(8 * leaf, 8 * leaf + 8).filter(fold => fold >= 0).length);
    expect(folds).toEqual([2, 8, 1]);
  });

  it.each([0, 1, 2, 3, 4, 5, 6, 7])(
    'rejects a trace whose row %i of an opened coset is altered, though its path is made anew',
    k => {
      const row = COSETS[k % 3] + 1024 * k;
      const altered = columnRows.map((column, i) =>
        i === k % 3 ? column.map((value, r) => (r === row ? goldilocks.add(value, 1n) : value)) : column,
      );
      expect(check({ trace: traceTree(altered) })).toBe('layer-opening');
    },
  );

  it.each([0, 1, 2, 3, 4, 5, 6, 7])(
    'rejects a composition whose row %i of an opened coset is altered, though its path is made anew',
    k => {
      const row = COSETS[k % 3] + 1024 * k;
      const altered = chunkRows.map((chunk, i) =>
        i === k % chunkRows.length
          ? chunk.map((value, r) => (r === row ? bump(value, k % degree) : value))
          : chunk,
      );
      expect(check({ composition: compositionTree(altered) })).toBe('layer-opening');
    },
  );

  it.each([0, 1, 2, 3, 4, 5, 6, 7])(
    'rejects a layer whose value %i of an opened coset is altered in any coordinate, though its path is made anew',
    slot => {
      for (const leaf of [5, 37, 60]) {
        const index = leaf + LAYER_LEAVES * slot;
        // Where a query folds into the value itself, its path shows it; elsewhere the next fold does.
        const expected = DISTINCT.includes(index) ? 'layer-opening' : 'final-polynomial-mismatch';
        const coordinate = (slot + leaf) % degree;
        const altered = layer1Rows.map((value, i) => (i === index ? bump(value, coordinate) : value));
        expect(check({ layer: layerTree(altered) })).toBe(expected);
      }
    },
  );

  it('rejects a final polynomial with any coordinate of any coefficient altered', () => {
    for (let i = 0; i < finalPolynomial.length; i++) {
      const altered = finalPolynomial.map((c, j) => (i === j ? bump(c, i % degree) : c));
      expect(check({ final: altered })).toBe('final-polynomial-mismatch');
    }
  });

  it('rejects openings of another tree than the one that was committed to', () => {
    const other = {
      trace: traceTree(columnRows.toReversed()),
      composition: compositionTree(chunkRows.toReversed()),
      layer: layerTree(layer1Rows.map((value, i) => (i === 60 ? bump(value) : value))),
    };
    expect(check({ trace: other.trace, caps: honest })).toBe('trace-opening');
    expect(check({ composition: other.composition, caps: honest })).toBe('composition-opening');
    expect(check({ layer: other.layer, caps: honest })).toBe('layer-opening');
  });

  it('rejects an element of a layer that is not below p, though it was committed to so', () => {
    // Leaf 60 holds the fold of query 700 in slot 5; slot 0 is sent.
    const words = (index: number) =>
      index === 60 ? [GOLDILOCKS_MODULUS, ...layer1Rows[index].slice(1)] : layer1Rows[index];
    const layer = treeOf(LAYER_LEAVES, geometry.layerLeafBytes, leaf => baseToBytes(leaf.flatMap(words)));
    expect(check({ layer })).toBe('non-canonical-element');
  });

  it('rejects columns of too high a degree, whose layers and final polynomial are honest otherwise', () => {
    const tooHigh = Array.from({ length: domainSize }, (_, i) => (i === TRACE_LENGTH + 8 ? 1n : 0n));
    const added = evaluateOnCoset(goldilocks, tooHigh, 7n, domainSize);
    const altered = [
      columnRows[0].map((value, i) => goldilocks.add(value, added[i])),
      ...columnRows.slice(1),
    ];
    expect(check({ trace: traceTree(altered) })).toBe('layer-opening');
  });

  it('rejects too high a final degree: a layer that is no codeword, though it is committed and folded honestly', () => {
    const extra = Array.from({ length: domainSize / 8 }, (_, i) => (i === TRACE_LENGTH / 8 ? E.one : E.zero));
    const high = evaluateOnCoset(E, extra, power(goldilocks, 7n, 8n), domainSize / 8);
    const altered = layer1Rows.map((value, i) => E.add(value, high[i]));
    expect(check({ layer: layerTree(altered) })).toBe('layer-opening');
  });

  it('leaves bytes behind the openings to its caller', () => {
    expect(check({ extra: 32 })).toBeUndefined();
  });
});

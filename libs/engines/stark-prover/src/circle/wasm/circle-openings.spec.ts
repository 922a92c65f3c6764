import {
  circleBasis,
  circleGenerator,
  type Ext,
  InlineKernelExecutor,
  log2Exact,
  m31,
  nextRowStep,
  qm31,
  Transcript,
  translatePoint,
} from '@svc/kernels';
import { loadKernelModule } from '@svc/kernels/node';
import {
  circleDeepChallenge,
  type OutOfDomainPoint,
  type ProofGeometry,
  proofGeometry,
  referenceCircleKernels,
} from '@svc/stark-verifier';
import { evaluateCircleOutOfDomain, formCircleDeepPolynomial } from './circle-openings.js';
import { cosetOf, createCircleDomain, createInverseTwiddles } from './circle-twiddles.js';

const executor = new InlineKernelExecutor(await loadKernelModule());
const { arena, kernels } = executor;
const source = new Transcript(m31);
source.absorb(0, new Uint8Array());
const drawColumns = (count: number, length: number) =>
  Array.from({ length: count }, () => Array.from({ length }, () => source.drawBase()));
const store = (columns: readonly (readonly bigint[])[]) =>
  columns.map(column => arena.storeWords(column.map(Number)));

const geometryOf = (traceLength: number): ProofGeometry =>
  proofGeometry(
    { profile: 'm31', traceLength, blowupFactor: 4, queryCount: 4, grindingBits: 0, zeroKnowledge: false },
    { columnCount: 3, constraintDegree: 3 },
  );
const drawPoint = (geometry: ProofGeometry): OutOfDomainPoint => geometry.profile.drawPoint(source, geometry);

// 4,096 rows take a basis in two parts.
it.each([64, 4096])('opens columns of %i coefficients where the circle basis does', async traceLength => {
  const geometry = geometryOf(traceLength);
  const point = drawPoint(geometry);
  const [trace, composition] = [drawColumns(3, traceLength), drawColumns(8, traceLength)];
  const values = await evaluateCircleOutOfDomain(
    executor,
    geometry,
    { trace: store(trace), composition: store(composition) },
    point,
  );
  const z = { x: point[0], y: point[1] };
  const basis = circleBasis(qm31, z, traceLength);
  const nextBasis = circleBasis(qm31, translatePoint(qm31, z, nextRowStep(traceLength)), traceLength);
  const evaluate = (column: readonly bigint[], at: readonly Ext[]) =>
    column.reduce((sum, c, j) => qm31.add(sum, qm31.scale(at[j], c)), qm31.zero);
  expect(values.traceAtZ).toEqual(trace.map(column => evaluate(column, basis)));
  expect(values.traceAtZNext).toEqual(trace.map(column => evaluate(column, nextBasis)));
  expect(values.compositionAtZ).toEqual(composition.map(column => evaluate(column, basis)));
});

// 1,024 rows are two blocks of the kernel.
it.each([64, 1024])('forms the DEEP polynomial of %i rows that the verifier derives', async traceLength => {
  const geometry = geometryOf(traceLength);
  const log2Size = log2Exact(traceLength);
  const point = drawPoint(geometry);
  const gamma = source.drawExtension(4);
  const [trace, composition] = [drawColumns(3, traceLength), drawColumns(8, traceLength)];
  const draw = (count: number) => Array.from({ length: count }, () => source.drawExtension(4));
  const values = { traceAtZ: draw(3), traceAtZNext: draw(3), compositionAtZ: draw(8) };
  const domain = await createCircleDomain(executor, log2Size, 2);
  const inverses = await createInverseTwiddles(executor, log2Size + 1, circleGenerator(log2Size + 3));
  const coefficients = await formCircleDeepPolynomial(executor, {
    geometry,
    point,
    gamma,
    values,
    evaluations: { trace: store(trace), composition: store(composition) },
    coset: cosetOf(domain, 0),
    inverses: { tree: inverses.tree, root: 2 * inverses.root },
  });

  const rowMajor = (columns: readonly (readonly bigint[])[]) =>
    Uint32Array.from({ length: columns.length * traceLength }, (_, i) =>
      Number(columns[i % columns.length][Math.floor(i / columns.length)]),
    );
  const expected = referenceCircleKernels.deepValues({
    columnCount: 3,
    compositionColumnCount: 2,
    traceRows: rowMajor(trace),
    compositionRows: rowMajor(composition),
    domainSize: geometry.domainSize,
    leaves: Array.from({ length: traceLength / 8 }, (_, leaf) => leaf),
    ...circleDeepChallenge(qm31, geometry, point, gamma, values),
  });
  const { tree, root } = cosetOf(domain, 0);
  for (let c = 0; c < 4; c++) {
    const at = coefficients + 4 * c * traceLength;
    kernels.circleFft(at, at, log2Size, tree, root);
    const derived = Uint32Array.from({ length: traceLength }, (_, i) => expected[4 * i + c]);
    expect(arena.words(at, traceLength).slice()).toEqual(derived);
  }
});

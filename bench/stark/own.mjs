// A statement as JSON beside the same built in, and what definitions take beside what they are charged for.
import { findAir, ownAir, readDefinition, statement } from '@svc/stark-air';
import { OWN_UNITS_MAX, ownProofUnits, prove } from '@svc/stark-prover';
import { createWasmBackend, estimateProverMemoryBytes, OwnThreads } from '@svc/stark-prover/node';
import {
  PARAMETER_SETS,
  parametersOf,
  setParameters,
  traceLengthFor,
  usableRowCount,
  verify,
} from '@svc/stark-verifier';

/** The middle one, or the lower of two. */
const median = list => list.toSorted((one, other) => one - other)[(list.length - 1) >> 1];
const BLOWUP = 8;
/** What a unit is said to be. */
const UNIT_NS = 10;

function fibonacci(field) {
  const s = statement(field);
  const [a, b] = [s.column('a'), s.column('b')];
  s.require('shift', a.next.sub(b));
  s.require('sum', b.next.sub(a.add(b)));
  s.first(a, s.public('first'));
  s.first(b, s.public('second'));
  s.last(b, s.public('result'));
  return { definition: s.definition(), start: { a: 1n, b: 1n } };
}

function cubic8(field) {
  const s = statement(field);
  const columns = Array.from({ length: 8 }, (_, i) => s.column(`c${i}`));
  columns.forEach((x, i) =>
    s.require(
      `step_${i}`,
      x.next.sub(
        x
          .mul(x)
          .mul(x)
          .add(columns[(i + 1) % 8]),
      ),
    ),
  );
  columns.forEach((x, i) => s.last(x, s.public(`end_${i}`)));
  return {
    definition: s.definition(),
    start: Object.fromEntries(columns.map((_, i) => [`c${i}`, BigInt(i + 1)])),
  };
}

/** `width` columns, one constraint each, of `operations` products and sums in all. */
function wide(field, width, operations, degree) {
  const s = statement(field);
  const columns = Array.from({ length: width }, (_, i) => s.column(`c${i}`));
  const each = Math.floor(operations / width);
  columns.forEach((x, i) => {
    let value = degree === 3 ? x.mul(x).mul(x) : degree === 2 ? x.mul(x) : x;
    for (let k = degree; k < each - 1; k += 2)
      value =
        degree === 1
          ? value.add(columns[(i + k) % width].mul(2 + ((k + i) % 60)))
          : value.mul(2 + ((k + i) % 60)).add(columns[(i + k) % width]);
    s.require(`k${i}`, x.next.sub(value));
  });
  s.last(columns[0], s.public('end'));
  return {
    definition: s.definition(),
    start: Object.fromEntries(columns.map((_, i) => [`c${i}`, BigInt(i + 3)])),
  };
}

/** @param {{ sizes: readonly number[], rounds: number }} options `sizes` are log2 of the rows; the middle one is taken */
export async function benchOwn(report, { sizes, rounds }) {
  const log2Rows = sizes[Math.floor(sizes.length / 2)];
  const threads = new OwnThreads();
  const backend = createWasmBackend({ threads: 2, idleMs: 60_000 });
  try {
    for (const [name, set, airId, witness, own] of [
      [
        'fibonacci',
        'P100',
        'raw/fibonacci/v1',
        { inputs: { first: '1', second: '1' } },
        fibonacci('goldilocks'),
      ],
      [
        'cubic8',
        'P100',
        'raw/cubic8/v1',
        { inputs: { input: [1, 2, 3, 4, 5, 6, 7, 8] } },
        cubic8('goldilocks'),
      ],
      [
        'fibonacci over M31',
        'm31',
        'raw/fibonacci/v1',
        { inputs: { first: '1', second: '1' } },
        fibonacci('m31'),
      ],
    ])
      await besideBuiltIn(report, { name, set, airId, witness, own, log2Rows, rounds, threads, backend });
    await beside(report, { log2Rows: Math.max(11, Math.min(14, log2Rows)), rounds, threads, backend });
  } finally {
    await Promise.all([threads.close(), backend.close()]);
  }
}

async function besideBuiltIn(report, { name, set, airId, witness, own, log2Rows, rounds, threads, backend }) {
  const parameters = parametersOf(PARAMETER_SETS[set], 2 ** log2Rows, BLOWUP);
  const built = findAir(airId, own.definition.field);
  const input = built.witnessFromJson(witness);
  const json = own.definition.canonical;
  const read = readDefinition(json);
  const air = ownAir(read, {});
  const rows = parameters.traceLength - 1;
  const made = await threads.trace(read, { rows, start: own.start }, parameters.traceLength);
  const times = { built: [], json: [] };
  for (let i = -1; i < rounds; i++)
    for (const [kind, one, given] of [
      ['built', built, input],
      ['json', air, { ...made, rows }],
    ]) {
      const { stageMs } = await prove({ air: one, witness: given, parameters, backend });
      const { execute: _trace, ...stages } = stageMs;
      if (i >= 0) times[kind].push(Object.values(stages).reduce((sum, ms) => sum + ms, 0));
    }
  const began = performance.now();
  await threads.trace(read, { rows, start: own.start }, parameters.traceLength);
  const traceMs = performance.now() - began;
  const [builtMs, jsonMs] = [median(times.built), median(times.json)];
  report.table(`${name}, 2^${log2Rows} rows, ${set}: built in beside JSON of ${json.length} bytes`);
  report.row('built in', { proveMs: builtMs });
  report.row('as JSON', { proveMs: jsonMs, traceMs });
  report.verdict(`${name} as JSON beside built in`, jsonMs / builtMs, 'at most', 1.1);
}

/** Field, blowup, columns, operations and degree of what is charged for. */
const SHAPES = [
  ['goldilocks', BLOWUP, 1, 8, 1],
  ['goldilocks', BLOWUP, 8, 16, 1],
  ['goldilocks', BLOWUP, 8, 16, 2],
  ['goldilocks', BLOWUP, 8, 16, 3],
  ['goldilocks', BLOWUP, 8, 512, 3],
  ['goldilocks', BLOWUP, 8, 2_048, 3],
  ['goldilocks', BLOWUP, 32, 64, 2],
  ['goldilocks', BLOWUP, 64, 128, 2],
  ['goldilocks', BLOWUP, 64, 128, 3],
  ['goldilocks', BLOWUP, 64, 2_048, 3],
  ['goldilocks', 2, 1, 8, 1],
  ['goldilocks', 2, 8, 16, 1],
  ['goldilocks', 32, 1, 8, 1],
  ['goldilocks', 32, 8, 16, 3],
  ['m31', BLOWUP, 1, 8, 1],
  ['m31', BLOWUP, 8, 16, 3],
  ['m31', 2, 1, 8, 1],
  ['m31', 32, 8, 16, 2],
];

/** What definitions take, each in time and memory, beside what they are charged for. */
async function beside(report, { log2Rows, rounds, threads, backend }) {
  report.table(`what is charged beside what is taken, 2^${log2Rows} rows, P100 or m31, hidden`);
  const all = [];
  for (const [field, blowup, width, operations, degree] of SHAPES) {
    const { definition, start } = wide(field, width, operations, degree);
    const set = PARAMETER_SETS[field === 'm31' ? 'm31' : 'P100'];
    // A smoke has fewer rows than the masks of some sets need.
    const least = traceLengthFor(setParameters(set, blowup, true), 2, 0);
    const parameters = parametersOf(set, Math.max(least, 2 ** log2Rows), blowup, true);
    const rowCount = usableRowCount(parameters);
    const air = ownAir(definition, {});
    const once = async by => {
      const began = performance.now();
      const made = await threads.trace(definition, { rows: rowCount - 1, start }, rowCount);
      const witness = { ...made, rows: rowCount - 1 };
      const proved = await prove({ air, witness, parameters, backend: by });
      return { ms: performance.now() - began, ...proved };
    };
    const fresh = createWasmBackend({ threads: 2 });
    const { proof, publicInputs } = await once(fresh);
    const claim = {
      proof,
      airId: air.id,
      air: definition.canonical,
      publicInputs: air.publicInputsToJson(publicInputs),
    };
    if (!verify(claim).valid) throw new Error('a proof of ours was rejected');
    const { columnCount, constraintDegree, boundaryRowCount } = air;
    const size = { ...parameters, columnCount, constraintDegree, boundaryRowCount };
    const memoryShare = fresh.memoryBytesPeak / estimateProverMemoryBytes(size);
    await fresh.close();
    const name = `${field}, blowup ${blowup}, ${width} columns, ${operations} operations, degree ${degree}`;
    const units = ownProofUnits(definition, parameters);
    all.push({ name, units, memoryShare, once: () => once(backend), times: [] });
  }
  // Round by round, so that a machine that is slower for a while is so for all of them.
  for (let i = 0; i < rounds; i++)
    for (const { once, times, units } of all) {
      // What a large one leaves behind, in caches and to collect, is not of the small one that comes next.
      if (units < OWN_UNITS_MAX / 4) await once();
      times.push((await once()).ms);
    }
  const nsPerUnit = all.map(({ times, units }) => (median(times) * 1e6) / units);
  for (const [i, { name, units, memoryShare, times }] of all.entries())
    report.row(name, {
      ...{ ms: median(times), nsPerUnit: nsPerUnit[i], share: units / OWN_UNITS_MAX, memoryShare },
    });
  const middle = median(nsPerUnit);
  report.note(`A unit took ${middle.toFixed(1)} ns in the middle; it is said to be ${UNIT_NS}.`);
  report.verdict(
    'time by unit, farthest from the middle',
    Math.max(...nsPerUnit.map(ns => Math.max(ns / middle, middle / ns))),
    'at most',
    1.25,
  );
  report.verdict(
    'memory by estimate, farthest from 1',
    Math.max(...all.map(({ memoryShare }) => Math.max(memoryShare, 2 - memoryShare))),
    'at most',
    1.15,
  );
}

import { jest } from '@jest/globals';
import { SolveGraphRequest } from '@svc/contracts';
import { problem, runInTurn } from '@svc/platform';
import { deflateRawSync } from 'node:zlib';
import { GraphService } from '../graph/graph.service.js';
import { InferenceService } from '../inference/inference.service.js';
import { ComputeThreads } from './compute-threads.js';
import { KeptReadings } from './kept-readings.js';

/** More than what any reading counts beside its bytes. */
const MB = 1_000_000;
const bytes = (text: string) => new TextEncoder().encode(text);
const stranger = (subject: string) => ({ subject, standing: 'later' }) as const;
const payer = (subject: string) => ({ subject, standing: 'claiming' }) as const;

/** Readings of a megabyte each, three at most, and how often each request was read. */
function threeReadings() {
  const readings = new KeptReadings<string>({ keptMs: 60_000, bytesMax: 3.5 * MB, bytesOf: () => MB });
  const reads: string[] = [];
  const read = (turn: Parameters<typeof runInTurn>[0], name: string) =>
    runInTurn(turn, () =>
      readings.of(bytes(name), async () => {
        reads.push(name);
        return name;
      }),
    );
  return { read, reads };
}

describe('KeptReadings', () => {
  it('reads equal bytes of a caller once, and those of another caller for it', async () => {
    const { read, reads } = threeReadings();
    await Promise.all([read(stranger('a'), 'x'), read(stranger('a'), 'x')]);
    await read(payer('a'), 'x');
    await read(stranger('b'), 'x');
    expect(reads).toEqual(['x', 'x']);
  });

  it('takes the room from the caller that has the most', async () => {
    const { read, reads } = threeReadings();
    await read(stranger('a'), 'of a');
    for (let i = 0; i < 8; i++) await read(stranger('b'), `of b, ${i}`);
    await read(stranger('a'), 'of a');
    expect(reads.filter(name => name === 'of a')).toHaveLength(1);
    await read(stranger('b'), 'of b, 0');
    expect(reads.filter(name => name === 'of b, 0')).toHaveLength(2);
  });

  it('keeps nothing that would take the room of all others', async () => {
    const readings = new KeptReadings<number>({ keptMs: 60_000, bytesMax: 3 * MB, bytesOf: size => size });
    const reads: number[] = [];
    const read = (size: number) => readings.of(bytes(String(size)), async () => (reads.push(size), size));
    for (const size of [MB, 4 * MB, MB, 4 * MB]) await read(size);
    expect(reads).toEqual([MB, 4 * MB, 4 * MB]);
  });

  it('looks through no more than so many of one caller, and of all', async () => {
    const bytesOf = (name: string) => (name === 'first' ? 16 * MB : 0);
    const readings = new KeptReadings<string>({ keptMs: 60_000, bytesMax: 1_000 * MB, bytesOf });
    const reads: string[] = [];
    const read = (subject: string, name: string) =>
      runInTurn(stranger(subject), () => readings.of(bytes(name), async () => (reads.push(name), name)));
    await read('victim', 'first');
    for (let i = 0; i < 100; i++) await read('one', `of one, ${i}`);
    await read('one', 'of one, 0');
    expect(reads.filter(name => name === 'of one, 0')).toHaveLength(2);
    for (let caller = 0; caller < 60; caller++) {
      for (let i = 0; i < 60; i++) await read(`caller ${caller}`, `${caller} ${i}`);
    }
    await read('victim', 'first');
    expect(reads.filter(name => name === 'first')).toHaveLength(1);
  });

  it.each([
    ['keeps a refusal', 'VALIDATION_FAILED', 1],
    ['reads again what no thread was free for', 'OVERLOADED', 2],
  ] as const)('%s', async (_what, code, times) => {
    const readings = new KeptReadings<string>({ keptMs: 60_000, bytesMax: MB, bytesOf: () => 1 });
    const read = jest.fn(() => Promise.reject(problem(code, 'refused')));
    for (let i = 0; i < 2; i++) await expect(readings.of(bytes('x'), read)).rejects.toMatchObject({ code });
    expect(read).toHaveBeenCalledTimes(times);
  });

  it('forgets a reading after its time', async () => {
    jest.useFakeTimers();
    try {
      const readings = new KeptReadings<string>({ keptMs: 1_000, bytesMax: MB, bytesOf: () => 1 });
      const read = jest.fn(async () => 'x');
      await readings.of(bytes('x'), read);
      jest.advanceTimersByTime(999);
      await readings.of(bytes('x'), read);
      expect(read).toHaveBeenCalledTimes(1);
      jest.advanceTimersByTime(1);
      await readings.of(bytes('x'), read);
      expect(read).toHaveBeenCalledTimes(2);
    } finally {
      jest.useRealTimers();
    }
  });
});

describe('a body that is admitted and answered', () => {
  const threads = new ComputeThreads({ threadsMax: 1, waitingMax: 8 });
  const run = jest.spyOn(threads, 'run');
  const kinds = () => run.mock.calls.map(([kind]) => kind);
  beforeEach(() => run.mockClear());
  afterAll(() => threads.close());

  it('is read once, of a model', async () => {
    const model = {
      A: [
        [0.9, 0.2],
        [0.1, 0.8],
      ],
      B: [
        [
          [1, 0],
          [0, 1],
        ],
      ],
      C: [1, 0],
      D: [0.5, 0.5],
      observations: [0],
    };
    const packed = deflateRawSync(JSON.stringify(model));
    const service = new InferenceService(threads);
    await service.admit(packed);
    const { qs } = await service.infer(packed);
    expect(qs[0]).toBeCloseTo(0.9 / 1.1, 12);
    expect(kinds()).toEqual(['readModel', 'infer']);
  });

  it('is read once, of a graph', async () => {
    const example = (SolveGraphRequest.meta() as { example: object }).example;
    const packed = deflateRawSync(JSON.stringify(example));
    const service = new GraphService(threads, { small: threads, large: threads });
    await service.admit(packed, 'sync');
    await service.solve(packed, { mode: 'sync' });
    expect(kinds()).toEqual(['readGraph', 'solveGraph']);
  });
});

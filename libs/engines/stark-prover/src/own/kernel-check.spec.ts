import { InlineKernelExecutor } from '@svc/kernels';
import { loadKernelModule } from '@svc/kernels/node';
import { SeededRandom } from '@svc/kernels/testing';
import { checkOwnTrace, makeOwnTrace, readDefinition, statement } from '@svc/stark-air';
import { UP_AND_SQUARE } from '@svc/stark-air/testing';
import { kernelCheck } from './kernel-check.js';

const s = statement('goldilocks');
const [x, y, z] = [s.column('x'), s.column('y'), s.column('z')];
const turn = s.cycle('turn', [1, 5, 0, 7]);
s.require('step', x.next.sub(x.mul(x).add(turn.mul(y)).add(s.public('k'))));
s.require('hold', y.next.sub(y));
s.require('product', z.sub(x.mul(y)));
s.at(x, 3, s.public('fourth'));
s.last(z, s.public('end'));
const definition = readDefinition(s.json());
const inputs = { k: 9n };

describe('a check of traces by the kernels', () => {
  let check: ReturnType<typeof kernelCheck>;
  beforeAll(async () => {
    check = kernelCheck(new InlineKernelExecutor(await loadKernelModule()));
  });
  const made = (rows: number, rowCount: number) =>
    makeOwnTrace(definition, { rows, publicInputs: inputs, start: { x: 2n, y: 3n } }, rowCount, check);

  it.each([5, 20, 31, 32, 33, 64, 100, 1_000])('takes what holds, of %d rows', rowCount => {
    const { columns, publicInputs } = made(rowCount - 1, rowCount);
    expect(check(definition, columns, publicInputs, rowCount - 1, rowCount)).toBeUndefined();
    expect(columns[0][3]).toBe(publicInputs['fourth']);
  });

  it('finds what any other check finds, wherever a cell is changed', () => {
    const random = new SeededRandom(7);
    const whole = (below: number) => Math.floor(random.uniform(0, below));
    for (const rowCount of [6, 40, 64, 97])
      for (let i = 0; i < 60; i++) {
        const rows = rowCount - 1;
        const { columns, publicInputs } = made(rows, rowCount);
        const changes = 1 + whole(2);
        for (let k = 0; k < changes; k++) columns[whole(3)][whole(rowCount)] ^= 1n << BigInt(whole(20));
        const place = [definition, columns, publicInputs, rows, rowCount] as const;
        expect([rowCount, i, check(...place)]).toEqual([rowCount, i, checkOwnTrace(...place)]);
      }
  });

  it('finds public inputs that a trace is not of, and what breaks over M31', () => {
    const { columns, publicInputs } = made(20, 64);
    for (const other of [{ k: 10n }, { end: 1n }] as Record<string, bigint>[]) {
      const place = [definition, columns, { ...publicInputs, ...other }, 20, 64] as const;
      expect(check(...place)).toEqual(checkOwnTrace(...place));
      expect(check(...place)).toBeDefined();
    }
    const turns = readDefinition(UP_AND_SQUARE);
    const over = makeOwnTrace(turns, { rows: 9, publicInputs: { k: 5n } }, 64, check);
    over.columns[0][40] += 1n;
    expect(check(turns, over.columns, over.publicInputs, 9, 64)).toMatchObject({
      row: 39,
      constraint: 'step',
    });
  });
});

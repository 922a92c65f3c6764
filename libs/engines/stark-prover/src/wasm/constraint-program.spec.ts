import { goldilocks } from '@svc/kernels';
import { type Air, fibonacciAir, hashChainAir } from '@svc/stark-air';
import { compileConstraints, INSTRUCTION_WORDS } from './constraint-program.js';

const OPERATIONS = ['add', 'sub', 'mul'] as const;
const elementAt = (i: number) => (BigInt(i + 1) * 0x9e37_79b9_7f4a_7c15n) % 0xffff_ffff_0000_0001n;

/** Runs a program one point at a time, as the kernel does for many. */
function interpret(air: Air, inputs: readonly bigint[]): bigint[] {
  const { instructions, constants, workingRegisterCount } = compileConstraints(air);
  const registers = [...inputs, ...constants, ...new Array<bigint>(workingRegisterCount).fill(-1n)];
  for (let i = 0; i < instructions.length; i += INSTRUCTION_WORDS) {
    const [operation, target, left, right] = instructions.subarray(i, i + INSTRUCTION_WORDS);
    registers[target] = goldilocks[OPERATIONS[operation]](registers[left], registers[right]);
  }
  return registers.slice(-air.transitionNames.length);
}

it.each([hashChainAir, fibonacciAir].map(air => [air.id, air as Air] as const))(
  'computes what the constraints of %s compute',
  (_, air) => {
    const elements = (count: number, salt: number) =>
      Array.from({ length: count }, (__, i) => elementAt(i + salt));
    const current = elements(air.columnCount, 0);
    const next = elements(air.columnCount, 100);
    const periodic = elements(air.periodicColumns.length, 200);
    expect(interpret(air, [...current, ...next, ...periodic])).toEqual(
      air.evaluateTransition(goldilocks, { current, next, periodic }),
    );
  },
);

it('computes equal subexpressions once and gives registers back', () => {
  const { instructions, workingRegisterCount } = compileConstraints(hashChainAir as Air);
  const { additions, multiplications } = hashChainAir.transitionOperations;
  expect(instructions.length / INSTRUCTION_WORDS).toBeLessThan(additions + multiplications);
  expect(workingRegisterCount).toBeLessThan(2 * hashChainAir.transitionNames.length + 24);
});

it('refuses a constraint that divides by a column', () => {
  const air = {
    ...(fibonacciAir as Air),
    evaluateTransition: (
      field: { inverse(a: unknown): unknown },
      { current }: { current: readonly unknown[] },
    ) => [field.inverse(current[0])],
  } as unknown as Air;
  expect(() => compileConstraints(air)).toThrow('not a polynomial');
});

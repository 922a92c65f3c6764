import { baseToBytes, type KernelExecutor, SCRATCH_BYTES } from '@svc/kernels';
import { type Air, fieldOf } from '@svc/stark-air';
import { compileConstraints, type ConstraintProgram, INSTRUCTION_WORDS } from './constraint-program.js';

const programs = new WeakMap<Air, ConstraintProgram>();

/** Constraints that the kernels have too few registers for. */
export class ConstraintRegistersError extends Error {
  override readonly name = 'ConstraintRegistersError';

  constructor(
    readonly airId: string,
    readonly max: number,
    readonly got: number,
  ) {
    super(`constraints of ${airId} need ${got} bytes of registers, at most ${max}`);
  }
}

/**
 * An AIR's compiled constraints.
 * @throws ConstraintRegistersError if the program needs more registers than there may be
 */
export function constraintProgram({ kernels }: Pick<KernelExecutor, 'kernels'>, air: Air): ConstraintProgram {
  const program = programs.get(air) ?? compileConstraints(air);
  programs.set(air, program);
  const { constants, workingRegisterCount } = program;
  const { columnCount, periodicColumns } = air;
  const scratch = kernels.constraintScratchBytes(
    columnCount,
    periodicColumns.length,
    constants.length,
    workingRegisterCount,
  );
  if (scratch > SCRATCH_BYTES) throw new ConstraintRegistersError(air.id, SCRATCH_BYTES, scratch);
  return program;
}

/**
 * Stores an AIR's compiled constraints.
 * @returns the words of a ConstraintJob (assembly/constraint-program.ts) from its constants to its number of constraints
 * @throws ConstraintRegistersError
 */
export function storeProgram({ arena, kernels }: KernelExecutor, air: Air): number[] {
  const { instructions, constants, workingRegisterCount } = constraintProgram({ kernels }, air);
  return [
    arena.storeBytes(baseToBytes(constants, fieldOf(air))),
    constants.length,
    arena.storeWords(instructions),
    instructions.length / INSTRUCTION_WORDS,
    workingRegisterCount,
    air.transitionNames.length,
  ];
}

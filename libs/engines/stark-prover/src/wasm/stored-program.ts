import { baseToBytes, type KernelExecutor, SCRATCH_BYTES } from '@svc/kernels';
import { type Air, fieldOf } from '@svc/stark-air';
import { compileConstraints, type ConstraintProgram, INSTRUCTION_WORDS } from './constraint-program.js';

const programs = new WeakMap<Air, ConstraintProgram>();

/**
 * Stores an AIR's compiled constraints.
 * @returns the words of a ConstraintJob (assembly/constraint-program.ts) from its constants to its number of constraints
 * @throws RangeError if the program needs more registers than there may be
 */
export function storeProgram({ arena, kernels }: KernelExecutor, air: Air): number[] {
  const program = programs.get(air) ?? compileConstraints(air);
  programs.set(air, program);
  const { instructions, constants, workingRegisterCount } = program;
  const { columnCount, periodicColumns, transitionNames } = air;
  const scratch = kernels.constraintScratchBytes(
    columnCount,
    periodicColumns.length,
    constants.length,
    workingRegisterCount,
  );
  if (scratch > SCRATCH_BYTES) {
    throw new RangeError(
      `constraints of ${air.id} need ${scratch} bytes of registers, at most ${SCRATCH_BYTES}`,
    );
  }
  return [
    arena.storeBytes(baseToBytes(constants, fieldOf(air))),
    constants.length,
    arena.storeWords(instructions),
    instructions.length / INSTRUCTION_WORDS,
    workingRegisterCount,
    transitionNames.length,
  ];
}

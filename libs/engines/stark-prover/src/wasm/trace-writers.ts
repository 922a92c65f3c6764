import { goldilocks, type KernelExecutor } from '@svc/kernels';
import { type Air, hashChainAir, type HashChainWitness } from '@svc/stark-air';
import { writeHashChainTrace } from './hash-chain-trace.js';

/** Where a trace goes. */
export interface TraceTarget {
  /** Address of the columns, `traceLength` elements each, one after the other. */
  readonly columns: number;
  readonly traceLength: number;
  /** Rows that the AIR fills. */
  readonly rowCount: number;
}

/**
 * Fills the AIR's rows of the columns in natural order. The hash chain runs on the kernels; other AIRs run themselves.
 * @throws WitnessError
 */
export async function writeTrace<PublicInputs, Witness>(
  executor: KernelExecutor,
  air: Air<PublicInputs, Witness>,
  witness: Witness,
  { columns: target, traceLength, rowCount }: TraceTarget,
): Promise<PublicInputs> {
  if ((air.id as string) === hashChainAir.id && rowCount === traceLength) {
    const { traceData } = witness as HashChainWitness;
    return (await writeHashChainTrace(executor, target, traceData, traceLength)) as PublicInputs;
  }
  const { columns, publicInputs } = air.execute(goldilocks, witness, rowCount);
  columns.forEach((column, c) => {
    executor.arena.elements(target + 8 * c * traceLength, rowCount).set(column);
  });
  return publicInputs;
}

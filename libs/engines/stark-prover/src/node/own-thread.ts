import { InlineKernelExecutor } from '@svc/kernels';
import { answerTasks, loadKernelModule } from '@svc/kernels/node';
import {
  type Air,
  DefinitionError,
  type DefinitionErrorCode,
  type DefinitionFacts,
  definitionFacts,
  galleryText,
  makeOwnTrace,
  ownAir,
  type OwnDefinition,
  type OwnStatement,
  ownStatementFromJson,
  type OwnStatementJson,
  type OwnTrace,
  readDefinition,
  StatementError,
  type StatementErrorCode,
  WitnessError,
  type WitnessErrorCode,
} from '@svc/stark-air';
import { kernelCheck } from '../own/kernel-check.js';
import { ownRowWork, type OwnRowWork } from '../own/own-units.js';
import { constraintProgram, ConstraintRegistersError } from '../wasm/stored-program.js';

/** A definition by its text, or by its id where the gallery has it. */
export type NamedDefinition = { readonly text: string } | { readonly id: string };

/** What a thread does: it reads a definition and a statement under it, or makes the trace of one. */
export type OwnTask =
  | { readonly kind: 'read'; readonly named: NamedDefinition; readonly statement?: OwnStatementJson }
  | {
      readonly kind: 'trace';
      readonly definition: OwnDefinition;
      readonly statement: OwnStatement;
      readonly rowCount: number;
    };

/** A definition that can be proved, and a statement under it, if one came. */
export interface OwnReading {
  readonly definition: OwnDefinition;
  readonly facts: DefinitionFacts;
  readonly statement: OwnStatement | undefined;
  readonly work: OwnRowWork;
}

/** What an error is made of, which its class is not copied with. */
export type OwnFault =
  | {
      readonly kind: 'definition';
      readonly code: DefinitionErrorCode;
      readonly path: string;
      readonly reason: string;
      readonly bound: DefinitionError['bound'];
    }
  | {
      readonly kind: 'statement';
      readonly code: StatementErrorCode;
      readonly path: string;
      readonly reason: string;
      readonly broken: StatementError['broken'];
    }
  | {
      readonly kind: 'witness';
      readonly code: WitnessErrorCode;
      readonly field: string;
      readonly message: string;
      readonly bound: WitnessError['bound'];
    }
  | { readonly kind: 'registers'; readonly id: string; readonly max: number; readonly got: number };

export type OwnReply = { readonly done: OwnReading | OwnTrace } | { readonly fault: OwnFault };

/** Definitions that were read last, by their text: one that is looked at is proved soon. */
const KNOWN_MAX = 8;
const known = new Map<string, OwnDefinition>();
let executor: Promise<InlineKernelExecutor> | undefined;

answerTasks<OwnTask, OwnReply>(
  async task => {
    try {
      return { done: await answerTo(task) };
    } catch (error) {
      const fault = faultOf(error);
      if (!fault) throw error;
      return { fault };
    }
  },
  reply =>
    'done' in reply && 'columns' in reply.done
      ? reply.done.columns.map(({ buffer }) => buffer as ArrayBuffer)
      : [],
);

async function answerTo(task: OwnTask): Promise<OwnReading | OwnTrace> {
  executor ??= loadKernelModule().then(module => new InlineKernelExecutor(module));
  const kernels = await executor;
  if (task.kind === 'trace')
    return makeOwnTrace(task.definition, task.statement, task.rowCount, kernelCheck(kernels));
  const source = textOf(task.named);
  const definition = known.get(source) ?? readDefinition(source);
  known.delete(source);
  known.set(source, definition);
  for (const text of known.keys()) if (known.size > KNOWN_MAX) known.delete(text);
  const statement = task.statement && ownStatementFromJson(definition, task.statement);
  const air = ownAir(definition, statement?.publicInputs ?? {}) as Air;
  constraintProgram(kernels, air);
  const work = ownRowWork(definition, statement?.hints);
  return { definition, facts: definitionFacts(definition), statement, work };
}

function textOf(named: NamedDefinition): string {
  const text = 'text' in named ? named.text : galleryText(named.id);
  if (text !== undefined) return text;
  throw new DefinitionError('definition-unknown', '', 'did not come, and the gallery has none of this id');
}

function faultOf(error: unknown): OwnFault | undefined {
  if (error instanceof DefinitionError) {
    const { code, path, reason, bound } = error;
    return { kind: 'definition', code, path, reason, bound };
  }
  if (error instanceof StatementError) {
    const { code, path, reason, broken } = error;
    return { kind: 'statement', code, path, reason, broken };
  }
  if (error instanceof WitnessError) {
    const { code, field, message, bound } = error;
    return { kind: 'witness', code, field, message: message.slice(field.length + 1), bound };
  }
  if (!(error instanceof ConstraintRegistersError)) return undefined;
  const { airId: id, max, got } = error;
  return { kind: 'registers', id, max, got };
}

import { ThreadTasksError } from '@svc/audit-proof/node';
import { ProblemError, problem, shownValue } from '@svc/platform';
import { DefinitionError, PublicInputError, StatementError, WitnessError } from '@svc/stark-air';
import { ConstraintRegistersError, ProverMemoryError } from '@svc/stark-prover';
import { ContextDomainError, ParameterError } from '@svc/stark-verifier';

/** Names that requests have for parameters. */
const REQUEST_FIELDS: Readonly<Record<string, string>> = { blowupFactor: 'friBlowup', traceLength: 'degree' };

/** Members of a witness that a request has by another name. */
const WITNESS_FIELDS: Readonly<Record<string, string>> = { digest: 'publicInputs' };

/** Members that stay private whatever is proved; those of a raw statement, but for its rows, do where its proof hides the trace. */
const PRIVATE_FIELDS = /^(privateWitness|salt|coordinates|altitude)(\.|$)/;
const HIDDEN_FIELDS = /^(?!inputs\.rows$)(inputs|trace|traceBytes|start|filler)(\.|$)/;
/** Faults that tell as `got` a value of the witness, and not a size of it. */
const VALUE_CODES: readonly string[] = ['input-out-of-range', 'coordinate-outside-box'];

/** What was asked for, as far as faults speak of it. */
export interface FaultyRequest {
  readonly degree?: number;
  readonly friBlowup: number;
  /** The witness as it was sent: what faults repeat the value from. */
  readonly sent?: unknown;
  /** Whether the proof hides its trace by the request's own choice. */
  readonly zeroKnowledge?: boolean;
}

/** What the engine throws, as the problem that names field, bound and value; other errors as they are. */
export function engineProblemOf(error: unknown, request: FaultyRequest): ProblemError | unknown {
  if (error instanceof WitnessError) return witnessProblem(error, request);
  if (error instanceof DefinitionError) return definitionProblem(error);
  if (error instanceof StatementError) return statementProblem(error);
  if (error instanceof ConstraintRegistersError) {
    const { max, got } = error;
    return problem('UNPROCESSABLE', error.message, {
      errors: [{ path: 'air.nodes', message: error.message, bound: max, got }],
      extensions: { reason: 'too-many-registers' },
    });
  }
  if (error instanceof ThreadTasksError) {
    const detail = `Nothing was read or made: ${error.message}`;
    return problem('OVERLOADED', detail, { retryAfterSeconds: 1, cause: error });
  }
  if (error instanceof ProverMemoryError) {
    const { max, got } = error;
    const where = request.degree === undefined ? '' : `degree ${request.degree} at `;
    return problem('UNPROCESSABLE', `${where}friBlowup ${request.friBlowup}: ${error.message}`, {
      errors: [
        {
          path: request.degree === undefined ? 'friBlowup' : 'degree',
          message: `needs ${got} bytes of memory`,
          bound: max,
          got,
        },
      ],
    });
  }
  if (error instanceof ParameterError) {
    const path = REQUEST_FIELDS[error.field] ?? error.field;
    return problem('UNPROCESSABLE', error.message, {
      errors: [{ path, message: error.message, bound: error.bound, got: error.got }],
    });
  }
  if (error instanceof ContextDomainError) {
    return problem('VALIDATION_FAILED', error.message, {
      errors: [{ path: error.field, message: error.message }],
    });
  }
  if (error instanceof PublicInputError) {
    return problem('UNPROCESSABLE', error.message, {
      errors: [{ path: 'publicInputs', message: error.message }],
    });
  }
  if ((error as { code?: unknown }).code === 'KERNEL_POOL_FAILED') {
    const detail = 'The prover lost a worker thread; the next proof starts fresh ones';
    return problem('SERVICE_UNAVAILABLE', detail, { retryAfterSeconds: 1, cause: error });
  }
  return error;
}

/** A path as requests write it: `air.nodes[3]`. */
const shownPath = (path: string) => path.replace(/\.(\d+)(?=\.|$)/g, '[$1]');

function definitionProblem({ code, path: at, reason: why, bound }: DefinitionError): ProblemError {
  // Text that is no JSON has no members yet.
  const isPlaced = at !== '' && code !== 'malformed-json';
  const path = shownPath(isPlaced ? `air.${at}` : 'air');
  const reason = isPlaced || at === '' ? why : `${at} ${why}`;
  return problem(
    isForm(code) || code === 'too-long' ? 'VALIDATION_FAILED' : 'UNPROCESSABLE',
    `${path} ${reason}`,
    {
      errors: [{ path, message: reason, ...(bound && { bound: bound.max, got: bound.got }) }],
      extensions: { reason: code },
    },
  );
}

/** Names that requests have for the inputs of a statement under a definition. */
const STATEMENT_FIELDS: Readonly<Record<string, string>> = { publicInputs: 'public', given: 'trace' };

function statementProblem({ code, path: at, reason, broken }: StatementError): ProblemError {
  const path = shownPath(at.replace(/^[a-z]+/i, name => STATEMENT_FIELDS[name] ?? name));
  const message = `${path} ${reason}`;
  const { row, constraint, column, operands = [] } = broken ?? {};
  const place = {
    row,
    ...(constraint === undefined ? {} : { constraint }),
    ...(column === undefined ? {} : { column }),
  };
  return problem(isForm(code) ? 'VALIDATION_FAILED' : 'UNPROCESSABLE', message, {
    // Where, and not what: the operands are of a trace that may be hidden, and a job keeps none.
    errors: [
      { path, message: reason, ...(broken && { bound: `${constraint ?? column} holds`, got: `row ${row}` }) },
    ],
    extensions: { reason: code, ...(broken && { ...place, operands: operands.map(String) }) },
  });
}

const isForm = (code: string) => code.startsWith('malformed-');

function witnessProblem(error: WitnessError, request: FaultyRequest): ProblemError {
  const { row, constraint } = error;
  const code = isForm(error.code) ? 'VALIDATION_FAILED' : 'UNPROCESSABLE';
  const bound = constraint ?? error.bound?.max;
  const got = row ?? gotOf(error, request);
  const path = shownPath(error.field.replace(/^[a-z]+/i, name => WITNESS_FIELDS[name] ?? name));
  const message = `${path}${error.message.slice(error.field.length)}`;
  return problem(code, message, {
    errors: [
      { path, message, ...(bound === undefined ? {} : { bound }), ...(got === undefined ? {} : { got }) },
    ],
    ...(constraint === undefined ? {} : { extensions: { row, constraint } }),
  });
}

/** What stands against the bound: what the engine says, or the value that was sent; of private values the kind alone. */
function gotOf({ code, field, bound }: WitnessError, { sent, zeroKnowledge }: FaultyRequest): unknown {
  const isPrivate = PRIVATE_FIELDS.test(field) || (zeroKnowledge === true && HIDDEN_FIELDS.test(field));
  const isSize = !VALUE_CODES.includes(code) || /(^|\.)(length|trace)$/.test(field);
  if (bound?.got !== undefined && (isSize || !isPrivate)) return bound.got;
  const path = field.split('.');
  return isPrivate ? kindAt(sent, path) : shownValue(sent, path);
}

function kindAt(sent: unknown, path: readonly string[]): unknown {
  const shown = shownValue(sent, path);
  const value = path.reduce<unknown>((inner, key) => (inner as Record<string, unknown> | null)?.[key], sent);
  if (typeof value === 'string') return `text of ${value.length} characters`;
  // Arrays and objects are shown by their size and kind in any case.
  return typeof value === 'number' || typeof value === 'boolean' ? typeof value : shown;
}

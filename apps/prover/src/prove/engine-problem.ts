import { ProblemError, problem, shownValue } from '@svc/platform';
import { PublicInputError, WitnessError } from '@svc/stark-air';
import { ProverMemoryError } from '@svc/stark-prover';
import { ContextDomainError, ParameterError } from '@svc/stark-verifier';

/** Names that requests have for parameters. */
const REQUEST_FIELDS: Readonly<Record<string, string>> = { blowupFactor: 'friBlowup', traceLength: 'degree' };

/** Members of a witness that a request has by another name. */
const WITNESS_FIELDS: Readonly<Record<string, string>> = { digest: 'publicInputs' };

/** Members that stay private whatever is proved; those of a raw statement, but for its rows, do where its proof hides the trace. */
const PRIVATE_FIELDS = /^(privateWitness|salt|coordinates|altitude)(\.|$)/;
const HIDDEN_FIELDS = /^(?!inputs\.rows$)(inputs|trace)(\.|$)/;
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

function witnessProblem(error: WitnessError, request: FaultyRequest): ProblemError {
  const { row, constraint } = error;
  const code = error.code.startsWith('malformed-') ? 'VALIDATION_FAILED' : 'UNPROCESSABLE';
  const bound = constraint ?? error.bound?.max;
  const got = row ?? gotOf(error, request);
  const path = error.field
    .replace(/^[a-z]+/i, name => WITNESS_FIELDS[name] ?? name)
    .replace(/\.(\d+)(?=\.|$)/g, '[$1]');
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

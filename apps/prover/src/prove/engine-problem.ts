import { ProblemError, problem } from '@svc/platform';
import { PublicInputError, WitnessError } from '@svc/stark-air';
import { ProverMemoryError } from '@svc/stark-prover';
import { ContextDomainError, ParameterError } from '@svc/stark-verifier';

/** Names that requests have for parameters. */
const REQUEST_FIELDS: Readonly<Record<string, string>> = { blowupFactor: 'friBlowup', traceLength: 'degree' };

/** Members of a witness that a request has by another name. */
const WITNESS_FIELDS: Readonly<Record<string, string>> = { digest: 'publicInputs' };

/** What the engine throws, as the problem that names field, bound and value; other errors as they are. */
export function engineProblemOf(
  error: unknown,
  request: { degree?: number; friBlowup: number },
): ProblemError | unknown {
  if (error instanceof WitnessError) return witnessProblem(error);
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
      errors: [{ path, message: error.message, got: error.got }],
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

function witnessProblem(error: WitnessError): ProblemError {
  const { row, constraint } = error;
  const code = error.code.startsWith('malformed-') ? 'VALIDATION_FAILED' : 'UNPROCESSABLE';
  const bound = constraint ?? error.bound?.max;
  const path = error.field
    .replace(/^[a-z]+/i, name => WITNESS_FIELDS[name] ?? name)
    .replace(/\.(\d+)(?=\.|$)/g, '[$1]');
  const message = `${path}${error.message.slice(error.field.length)}`;
  return problem(code, message, {
    errors: [{ path, message, bound, got: row ?? error.bound?.got }],
    ...(constraint === undefined ? {} : { extensions: { row, constraint } }),
  });
}

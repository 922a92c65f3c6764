import { ProblemError, problem } from '@svc/platform';
import { WitnessError } from '@svc/stark-air';
import { ProverMemoryError } from '@svc/stark-prover';

/** What the engine throws, as the problem that names field, bound and value; other errors as they are. */
export function engineProblemOf(
  error: unknown,
  request: { degree: number; friBlowup: number },
): ProblemError | unknown {
  if (error instanceof WitnessError) {
    const code = error.code.startsWith('malformed-') ? 'VALIDATION_FAILED' : 'UNPROCESSABLE';
    return problem(code, error.message, {
      errors: [{ path: error.field, message: error.message, bound: error.bound?.max, got: error.bound?.got }],
    });
  }
  if (error instanceof ProverMemoryError) {
    return problem(
      'UNPROCESSABLE',
      `degree ${request.degree} at friBlowup ${request.friBlowup}: ${error.message}`,
      {
        errors: [
          { path: 'degree', message: `needs ${error.got} bytes of memory`, bound: error.max, got: error.got },
        ],
      },
    );
  }
  if ((error as { code?: unknown }).code === 'KERNEL_POOL_FAILED') {
    return problem(
      'SERVICE_UNAVAILABLE',
      'The prover lost a worker thread; the next proof starts fresh ones',
      {
        retryAfterSeconds: 1,
        cause: error,
      },
    );
  }
  return error;
}

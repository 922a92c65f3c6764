import {
  type Charged,
  type FieldFault,
  type ProblemCode,
  type ProblemPayload,
  PROBLEMS,
} from '@svc/contracts';

/**
 * A failure with a stable code, thrown anywhere in a service or the gateway. It crosses the bus as
 * its payload and leaves the gateway as RFC 9457 problem details.
 */
export class ProblemError extends Error {
  constructor(
    readonly payload: ProblemPayload,
    options?: ErrorOptions,
  ) {
    super(payload.detail, options);
    this.name = 'ProblemError';
  }

  get code(): ProblemCode {
    return this.payload.code;
  }

  /** HTTP status that the code stands for, 400 to 599. */
  get status(): number {
    return PROBLEMS[this.payload.code].status;
  }
}

/**
 * Makes a problem to throw.
 * @param detail one sentence for the caller; nothing of the inside of the service belongs here
 * @example throw problem('OVERLOADED', 'All 4 provers are busy', { retryAfterSeconds: 2 });
 */
export function problem(
  code: ProblemCode,
  detail: string,
  more: {
    errors?: FieldFault[];
    retryAfterSeconds?: number;
    charged?: Charged;
    extensions?: Record<string, unknown>;
    cause?: unknown;
  } = {},
): ProblemError {
  const { cause, ...members } = more;
  return new ProblemError({ code, detail, ...members }, cause === undefined ? undefined : { cause });
}

/** The problem that work ends in. @throws whatever else it ends in */
export async function problemOf(work: Promise<unknown>): Promise<ProblemError> {
  const error = await work.then(
    value => new Error(`expected a problem, got ${JSON.stringify(value)?.slice(0, 200)}`),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ProblemError)) throw error;
  return error;
}

/**
 * A request that its schema allows and that cannot be done, for the reason of one field.
 * @param path of the field, dots between its parts
 */
export function unprocessable(
  path: string,
  message: string,
  more: { bound?: string; got?: string; extensions?: Record<string, unknown> } = {},
): ProblemError {
  const { extensions, ...fault } = more;
  return problem('UNPROCESSABLE', `${path}: ${message}`, {
    errors: [{ path, message, ...fault }],
    ...(extensions && { extensions }),
  });
}

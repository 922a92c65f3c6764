import { problem, type ProblemError } from '@svc/platform';
import type { z } from 'zod';

/** A schema-valid body that no verdict can be given of. */
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

/** A request of the bus as its schema reads it, defaults filled in. @throws ProblemError VALIDATION_FAILED */
export function parsedRequest<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  throw problem('VALIDATION_FAILED', 'The request is not as its schema has it', { errors });
}

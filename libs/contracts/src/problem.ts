import { z } from 'zod';

/**
 * Every failure that a caller can meet, by its stable code (RFC 9457 problem details). Codes cross
 * the bus; statuses and titles are looked up here at the edge. A code is never renamed or reused.
 */
export const PROBLEMS = {
  MALFORMED_JSON: { status: 400, title: 'The body is not valid JSON' },
  VALIDATION_FAILED: { status: 400, title: 'The request does not match the published schema' },
  CONFLICTING_CREDENTIALS: { status: 400, title: 'More than one payment credential was sent' },
  PAYMENT_METHOD_UNSUPPORTED: { status: 400, title: 'This payment method is not offered here' },
  WEBHOOK_INVALID: { status: 400, title: 'The notification is not signed as it must be' },
  UNKNOWN_CREDENTIAL: { status: 401, title: 'The account key is not known' },
  IDENTITY_UNPROVED: { status: 401, title: 'The proof of identity is missing or does not verify' },
  TICKET_UNKNOWN: { status: 401, title: 'The execution ticket is not known' },
  PAYMENT_REQUIRED: { status: 402, title: 'Payment required' },
  PAYMENT_MALFORMED: { status: 402, title: 'The payment credential cannot be read' },
  PAYMENT_INVALID: { status: 402, title: 'The payment credential does not verify' },
  PAYMENT_EXPIRED: { status: 402, title: 'The payment challenge has expired' },
  PAYMENT_INSUFFICIENT: { status: 402, title: 'The payment does not cover the price' },
  PAYMENT_BOUND_ELSEWHERE: { status: 402, title: 'The payment was made for another request' },
  PAY_AT_VERIFY: { status: 402, title: 'The payment belongs to another route' },
  FORBIDDEN: { status: 403, title: 'Refused by policy' },
  NOT_FOUND: { status: 404, title: 'Not found' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'This path does not accept the method' },
  REQUEST_TIMEOUT: { status: 408, title: 'The request did not arrive in time' },
  PAYMENT_IN_FLIGHT: { status: 409, title: 'A request with this payment is still running' },
  CHECKOUT_UNPAID: { status: 409, title: 'The checkout has not been paid' },
  TICKET_USED: { status: 409, title: 'The execution ticket was used' },
  STREAM_INDEX_STALE: { status: 409, title: 'The stream index is not above the last one' },
  CONFLICT: { status: 409, title: 'Conflict with the current state' },
  TICKET_EXPIRED: { status: 410, title: 'The execution ticket has expired' },
  EXPIRED: { status: 410, title: 'Expired' },
  PRECONDITION_FAILED: { status: 412, title: 'The request means something else than what is there' },
  BODY_TOO_LARGE: { status: 413, title: 'The body exceeds the limit' },
  URI_TOO_LONG: { status: 414, title: 'The address exceeds the limit' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    title: 'The body, or a file in it, is of a type that is not read here',
  },
  MISDIRECTED_REQUEST: { status: 421, title: 'The host of the request is not served here' },
  UNPROCESSABLE: { status: 422, title: 'The request is well-formed but impossible' },
  RATE_LIMITED: { status: 429, title: 'Too many requests' },
  QUEUE_FULL: { status: 429, title: 'The queue of the service is full' },
  HEADERS_TOO_LARGE: { status: 431, title: 'The header fields exceed the limit' },
  INTERNAL: { status: 500, title: 'Something failed on our side' },
  /** Of a service that is asked over the bus for a tool that another runs; TOOL_RUNNERS leads nobody there. */
  NOT_YET_AVAILABLE: { status: 501, title: 'Not yet available' },
  SERVICE_UNAVAILABLE: { status: 503, title: 'A service this call needs is away' },
  OVERLOADED: { status: 503, title: 'The service is at its capacity' },
  SETTLEMENT_UNKNOWN: { status: 503, title: 'The outcome of the payment is not known yet' },
  TIMEOUT: { status: 504, title: 'The service did not answer in time' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof PROBLEMS;
export const PROBLEM_CODES = Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]];

/** One fault of a request: where it is, what is wrong, the bound and the value that broke it. */
export const FieldFault = z.object({
  path: z
    .string()
    .meta({ description: 'JSON path of the field, `friBlowup` or `items[2].price`; empty for the body' }),
  message: z.string(),
  bound: z.unknown().optional().meta({ description: 'The published bound that was broken' }),
  got: z.unknown().optional().meta({ description: 'The value that was sent, shortened' }),
});
export type FieldFault = z.infer<typeof FieldFault>;

/** A problem as it crosses the bus: the edge adds status, title, type and trace id from the code. */
export const ProblemPayload = z.object({
  code: z.enum(PROBLEM_CODES),
  detail: z.string(),
  errors: z.array(FieldFault).optional(),
  retryAfterSeconds: z.number().int().positive().optional(),
  extensions: z.record(z.string(), z.unknown()).optional(),
});
export type ProblemPayload = z.infer<typeof ProblemPayload>;

/** RFC 9457 problem details as they leave the gateway (`application/problem+json`). */
export const ProblemDetails = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    code: z.enum(PROBLEM_CODES),
    detail: z.string(),
    instance: z.string().optional(),
    traceId: z.string(),
    errors: z.array(FieldFault).optional(),
  })
  .meta({ id: 'ProblemDetails' });
export type ProblemDetails = z.infer<typeof ProblemDetails>;

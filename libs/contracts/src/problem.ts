import { z } from 'zod';

/** Whether money was taken for the request that failed and has not gone back to where it came from. */
export const Charged = z.enum(['no', 'yes', 'unknown']).meta({
  description:
    '`no`: nothing was taken for this request, or it has gone back to the account that paid. `yes`: a payment was taken and is kept: the same credential still buys the answer, or its amount lies on `creditKey`. `unknown`: ask again with the same credential, and do not pay again.',
});
export type Charged = z.infer<typeof Charged>;

/** Whether, and how, a request that failed is worth sending again. */
export const Retry = z.enum(['same', 'changed', 'pay', 'no']).meta({
  description:
    '`same`: send the same request with the same credential, after `Retry-After` where there is one. `changed`: mend what `detail` and `errors` name first. `pay`: send it with a payment of one of the offers. `no`: it would be refused again.',
});
export type Retry = z.infer<typeof Retry>;

/**
 * Every failure that a caller can meet, by its stable code (RFC 9457 problem details). Codes cross
 * the bus; the rest is looked up here at the edge. A code is never renamed or reused. `charged` is what
 * holds unless the problem itself says otherwise; a problem with a time to wait is always retried as it is.
 */
export const PROBLEMS = {
  MALFORMED_JSON: { status: 400, title: 'The body is not valid JSON', charged: 'no', retry: 'changed' },
  VALIDATION_FAILED: {
    status: 400,
    title: 'The request does not match the published schema',
    charged: 'no',
    retry: 'changed',
  },
  CONFLICTING_CREDENTIALS: {
    status: 400,
    title: 'More than one payment credential was sent',
    charged: 'no',
    retry: 'changed',
  },
  PAYMENT_METHOD_UNSUPPORTED: {
    status: 400,
    title: 'This payment method is not offered here',
    charged: 'no',
    retry: 'pay',
  },
  WEBHOOK_INVALID: {
    status: 400,
    title: 'The notification is not signed as it must be',
    charged: 'no',
    retry: 'changed',
  },
  UNKNOWN_CREDENTIAL: { status: 401, title: 'The account key is not known', charged: 'no', retry: 'changed' },
  IDENTITY_UNPROVED: {
    status: 401,
    title: 'The proof of identity is missing or does not verify',
    charged: 'no',
    retry: 'changed',
  },
  TICKET_UNKNOWN: {
    status: 401,
    title: 'The execution ticket is not known',
    charged: 'no',
    retry: 'changed',
  },
  PAYMENT_REQUIRED: { status: 402, title: 'Payment required', charged: 'no', retry: 'pay' },
  PAYMENT_MALFORMED: {
    status: 402,
    title: 'The payment credential cannot be read',
    charged: 'no',
    retry: 'changed',
  },
  PAYMENT_INVALID: {
    status: 402,
    title: 'The payment credential does not verify',
    charged: 'no',
    retry: 'pay',
  },
  PAYMENT_EXPIRED: { status: 402, title: 'The payment challenge has expired', charged: 'no', retry: 'pay' },
  PAYMENT_INSUFFICIENT: {
    status: 402,
    title: 'The payment does not cover the price',
    charged: 'no',
    retry: 'pay',
  },
  BUDGET_EXHAUSTED: {
    status: 402,
    title: 'The cap of the key does not cover the price',
    charged: 'no',
    retry: 'pay',
  },
  PAYMENT_BOUND_ELSEWHERE: {
    status: 402,
    title: 'The payment was made for another request',
    charged: 'no',
    retry: 'pay',
  },
  PAY_AT_VERIFY: {
    status: 402,
    title: 'The payment belongs to another route',
    charged: 'no',
    retry: 'changed',
  },
  FORBIDDEN: { status: 403, title: 'Refused by policy', charged: 'no', retry: 'no' },
  NOT_FOUND: { status: 404, title: 'Not found', charged: 'no', retry: 'no' },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'This path does not accept the method',
    charged: 'no',
    retry: 'changed',
  },
  REQUEST_TIMEOUT: { status: 408, title: 'The request did not arrive in time', charged: 'no', retry: 'same' },
  PAYMENT_IN_FLIGHT: {
    status: 409,
    title: 'A request with this payment is still running',
    charged: 'unknown',
    retry: 'same',
  },
  CHECKOUT_UNPAID: { status: 409, title: 'The checkout has not been paid', charged: 'no', retry: 'same' },
  TICKET_USED: { status: 409, title: 'The execution ticket was used', charged: 'no', retry: 'no' },
  STREAM_INDEX_STALE: {
    status: 409,
    title: 'The stream index is not above the last one',
    charged: 'no',
    retry: 'changed',
  },
  CONFLICT: { status: 409, title: 'Conflict with the current state', charged: 'no', retry: 'changed' },
  TICKET_EXPIRED: { status: 410, title: 'The execution ticket has expired', charged: 'no', retry: 'changed' },
  EXPIRED: { status: 410, title: 'Expired', charged: 'no', retry: 'no' },
  PRECONDITION_FAILED: {
    status: 412,
    title: 'The request means something else than what is there',
    charged: 'no',
    retry: 'changed',
  },
  BODY_TOO_LARGE: { status: 413, title: 'The body exceeds the limit', charged: 'no', retry: 'changed' },
  URI_TOO_LONG: { status: 414, title: 'The address exceeds the limit', charged: 'no', retry: 'changed' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    title: 'The body, or a file in it, is of a type that is not read here',
    charged: 'no',
    retry: 'changed',
  },
  MISDIRECTED_REQUEST: {
    status: 421,
    title: 'The host of the request is not served here',
    charged: 'no',
    retry: 'changed',
  },
  UNPROCESSABLE: {
    status: 422,
    title: 'The request is well-formed but impossible',
    charged: 'no',
    retry: 'changed',
  },
  RATE_LIMITED: { status: 429, title: 'Too many requests', charged: 'no', retry: 'same' },
  QUEUE_FULL: { status: 429, title: 'The queue of the service is full', charged: 'no', retry: 'same' },
  HEADERS_TOO_LARGE: {
    status: 431,
    title: 'The header fields exceed the limit',
    charged: 'no',
    retry: 'changed',
  },
  INTERNAL: { status: 500, title: 'Something failed on our side', charged: 'no', retry: 'same' },
  /** Of a service that is asked over the bus for a tool that another runs; TOOL_RUNNERS leads nobody there. */
  NOT_YET_AVAILABLE: { status: 501, title: 'Not yet available', charged: 'no', retry: 'same' },
  SERVICE_UNAVAILABLE: {
    status: 503,
    title: 'A service this call needs is away',
    charged: 'no',
    retry: 'same',
  },
  OVERLOADED: { status: 503, title: 'The service is at its capacity', charged: 'no', retry: 'same' },
  SETTLEMENT_UNKNOWN: {
    status: 503,
    title: 'The outcome of the payment is not known yet',
    charged: 'unknown',
    retry: 'same',
  },
  TIMEOUT: { status: 504, title: 'The service did not answer in time', charged: 'no', retry: 'same' },
} as const satisfies Record<string, { status: number; title: string; charged: Charged; retry: Retry }>;

export type ProblemCode = keyof typeof PROBLEMS;
export const PROBLEM_CODES = Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]];

/** Where a problem is explained, at every address that answers it: `/problems/payment-required`. */
export const problemPath = (code: ProblemCode): string =>
  `/problems/${code.toLowerCase().replaceAll('_', '-')}`;

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
  /** Where it is known to be otherwise than the code says. */
  charged: Charged.optional(),
  extensions: z.record(z.string(), z.unknown()).optional(),
});
export type ProblemPayload = z.infer<typeof ProblemPayload>;

/** RFC 9457 problem details as they leave the gateway (`application/problem+json`). */
export const ProblemDetails = z
  .looseObject({
    type: z.string().meta({
      description:
        'URL of this service that says what the problem is, and how to go on; for callers that use `Payment`, of that scheme',
    }),
    title: z.string(),
    status: z.number().int(),
    code: z.enum(PROBLEM_CODES),
    detail: z.string(),
    charged: Charged,
    retry: Retry,
    instance: z.string().optional(),
    traceId: z.string(),
    errors: z.array(FieldFault).optional(),
  })
  .meta({ id: 'ProblemDetails' });
export type ProblemDetails = z.infer<typeof ProblemDetails>;

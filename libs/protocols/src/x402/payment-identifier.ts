/** Name of the x402 extension by which a client gives its purchase an id. */
export const PAYMENT_IDENTIFIER = 'payment-identifier';
/** Characters of such an id, at least and at most. */
export const PAYMENT_ID_CHARS = [16, 128] as const;
const PATTERN = '^[a-zA-Z0-9_-]+$';

/** What an offer of version 2 says in `extensions` of the id that a client may give its purchase: it may, and need not. */
export const PAYMENT_IDENTIFIER_EXTENSION = {
  [PAYMENT_IDENTIFIER]: {
    info: { required: false },
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        required: { type: 'boolean' },
        id: {
          type: 'string',
          minLength: PAYMENT_ID_CHARS[0],
          maxLength: PAYMENT_ID_CHARS[1],
          pattern: PATTERN,
        },
      },
      required: ['required'],
    },
  },
} as const;

/** Whether an id has the form that the extension asks for. */
export const isPaymentId = (id: unknown): id is string =>
  typeof id === 'string' &&
  id.length >= PAYMENT_ID_CHARS[0] &&
  id.length <= PAYMENT_ID_CHARS[1] &&
  new RegExp(PATTERN).test(id);

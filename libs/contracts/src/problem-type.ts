import { z } from 'zod';
import { Charged, PROBLEM_CODES, type ProblemCode, problemPath, PROBLEMS, Retry } from './problem.js';

/** What the `type` of a problem leads to. */
export const ProblemType = z
  .object({
    type: z.string().meta({ description: 'The URL itself' }),
    title: z.string(),
    status: z.int(),
    code: z.enum(PROBLEM_CODES),
    charged: Charged,
    retry: Retry,
    meaning: z.string(),
    action: z.string().meta({ description: 'What a client should do' }),
  })
  .meta({ id: 'ProblemType' });
export type ProblemType = z.infer<typeof ProblemType>;

/** What the problem of a path is, as {@link problemPath} names it, but for its address; undefined where there is none. */
export function problemTypeAt(path: string): Omit<ProblemType, 'type'> | undefined {
  const code = PROBLEM_CODES.find(each => problemPath(each) === path);
  return code && { code, ...PROBLEMS[code], ...PROBLEM_HELP[code] };
}

/** What each problem means, and what a client should do: in the words of docs/errors.md, backticks around names. */
export const PROBLEM_HELP: Readonly<Record<ProblemCode, Pick<ProblemType, 'meaning' | 'action'>>> = {
  MALFORMED_JSON: {
    meaning:
      'The body is not UTF-8 JSON, nests deeper than 64 levels, names a member of an object twice, or has a key `__proto__` or `constructor.prototype`.',
    action: 'Mend the body; the same request fails again.',
  },
  VALIDATION_FAILED: {
    meaning:
      'A field has the wrong type, is out of its bounds, unknown or missing, or the path is malformed.',
    action: 'Read `errors`; mend every field it names.',
  },
  CONFLICTING_CREDENTIALS: {
    meaning: 'More than one payment credential, account key or challenge was sent; equal ones count once.',
    action: 'Send one payment credential; a key may stand beside it.',
  },
  PAYMENT_METHOD_UNSUPPORTED: {
    meaning: 'The credential is of a payment method that is not offered here.',
    action: 'Ask without a credential and use a method of the 402.',
  },
  WEBHOOK_INVALID: {
    meaning: 'A notification of the card processor without a good, recent signature. Nothing was done.',
    action: "Only the processor sends these; check the endpoint's signing secret.",
  },
  UNKNOWN_CREDENTIAL: {
    meaning:
      'The account key or ticket is missing, not known, revoked or out of its time; a payment beside it was not touched.',
    action: 'Check the key; do not retry with it.',
  },
  IDENTITY_UNPROVED: {
    meaning:
      'The proof that a peer holds its key is missing where one is needed, or does not verify; `reason` says which: `SIGNATURE_MISSING`, `SIGNATURE_INVALID`, `TIMESTAMP_UNTIMELY`, `NONCE_USED`, `WRONG_PEER`. Or the signature or credential that is to show who paid for an account does not.',
    action:
      'A peer signs the text of mesh.md anew, with a fresh nonce and the time of now. A payer signs the message of a fresh challenge with the wallet that paid, or shows the L402 credential as it was issued.',
  },
  TICKET_UNKNOWN: {
    meaning: 'The execution ticket is malformed, or none of ours. Nothing was consumed.',
    action:
      'Send the `ticket` of the answer of `POST /v1/x402/verify`; with the payment that bought it that route gives it again.',
  },
  PAYMENT_REQUIRED: {
    meaning:
      "The call has a price and no payment came with it, or the month's requests are used up (`RateLimit`).",
    action: 'Pay one of the challenges and send the same request with the credential.',
  },
  PAYMENT_MALFORMED: {
    meaning: 'The payment credential cannot be read, or is a payment token without its `X-402-Challenge`.',
    action: 'Build the credential again from the challenge; the payment itself is not lost.',
  },
  PAYMENT_INVALID: {
    meaning:
      'The credential does not verify (a wrong preimage, signature or caveat), or its settlement was refused: a declined card, an authorisation that the chain does not take.',
    action:
      'Check that the credential belongs to this challenge; otherwise pay a new challenge. A refused settlement took nothing.',
  },
  PAYMENT_EXPIRED: {
    meaning: 'The challenge was not paid, or not used, in time.',
    action: 'Pay the new challenge in the answer.',
  },
  PAYMENT_INSUFFICIENT: {
    meaning: 'The payment, or the credit of the key, does not cover the price.',
    action: 'Pay the challenge in the answer, beside the key if there is one, or top the key up.',
  },
  BUDGET_EXHAUSTED: {
    meaning: 'The key has a cap, and what is left of it does not cover the price; the account was not asked.',
    action:
      'Pay the challenge in the answer, beside the key, wait until `resetsAt` where there is one, or use a key with another cap.',
  },
  PAYMENT_BOUND_ELSEWHERE: {
    meaning: 'The payment was made, or already used, for another request.',
    action: 'Send the original request with this credential, or pay a new challenge for this one.',
  },
  PAY_AT_VERIFY: {
    meaning:
      'A payment came with a request for a challenge, which sells nothing. The payment was not touched.',
    action: 'Send the credential to the route in `Link` (`rel="payment"`). Do not pay again.',
  },
  FORBIDDEN: {
    meaning: 'The credential is good and policy refuses.',
    action: 'Do not retry; ask for the scope or the permission.',
  },
  NOT_FOUND: {
    meaning: 'Nothing is served at the path, or there is no such thing.',
    action: 'Check the path and the id; stored things are kept for a limited time.',
  },
  METHOD_NOT_ALLOWED: {
    meaning: 'The path does not accept the method.',
    action: 'Use a method of the `Allow` header.',
  },
  REQUEST_TIMEOUT: {
    meaning:
      'The request did not arrive within 30 seconds, or a long body stalled. Nothing was taken for it.',
    action: 'Send it anew.',
  },
  PAYMENT_IN_FLIGHT: {
    meaning: 'A request with this payment is still running.',
    action:
      'Wait `Retry-After` and send the same request again: the answer will be there. Do not pay again. Where a job has the payment, `Location` and `jobId` name it.',
  },
  CHECKOUT_UNPAID: {
    meaning: 'The hosted checkout exists and has not been paid, or its payment is still on its way.',
    action: 'Complete the checkout in a browser, then ask again; no payment header helps here.',
  },
  TICKET_USED: {
    meaning: 'The execution ticket began a saga, which `sagaId` names; a ticket begins one.',
    action: 'Read the answer at `GET /v1/x402/sagas/{sagaId}`; for another execution get another ticket.',
  },
  STREAM_INDEX_STALE: {
    meaning:
      "`streamIndex` is not above the last one of the licensee's contract. Nothing was consumed, the ticket is as good as before.",
    action: 'Send a higher index, with the same ticket.',
  },
  CONFLICT: {
    meaning: 'The request contradicts the current state.',
    action: 'Read the state, then decide.',
  },
  TICKET_EXPIRED: {
    meaning:
      'The execution ticket was not used in time; what was paid for it is credit again, of the account that paid, or on the key of the payment.',
    action:
      'Get another ticket. The key of the credit is in `X-SVC-KEY` of `POST /v1/x402/verify`, sent again with the payment.',
  },
  EXPIRED: {
    meaning: 'What the request refers to has expired.',
    action: 'Get a new one.',
  },
  PRECONDITION_FAILED: {
    meaning: '`If-Match` does not name what is there.',
    action: 'Send its `ETag` as it came.',
  },
  BODY_TOO_LARGE: {
    meaning: 'The body exceeds the limit of the route, or a message the limit of the bus.',
    action: 'Send less; the limit is in `errors` and in the reference.',
  },
  URI_TOO_LONG: {
    meaning: 'The address, or a part of its path, exceeds the limit.',
    action: 'Shorten it; nothing we publish is longer.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    meaning: 'The body, or a file in it, is of a media type that the route does not read.',
    action: 'Send `Content-Type: application/json`; of pictures PNG, JPEG, WebP or TIFF.',
  },
  MISDIRECTED_REQUEST: {
    meaning: 'This host, or scheme of an absolute target, is not served here: `errors` names those that are.',
    action: 'Call the address that the service publishes.',
  },
  UNPROCESSABLE: {
    meaning:
      'The request matches the schema and is impossible, or needs more memory or time than is allowed: a `streamIndex` too far above the last, a product, card or requirement set that is not known (of a card, `candidates` names those that are like it), a recording or PDF that cannot be read; or its `Idempotency-Key` came before with another body.',
    action:
      'Change the request; `errors` and `detail` name the bound. A key for each purchase, the same for all its retries.',
  },
  RATE_LIMITED: {
    meaning:
      "Too many requests, challenges, payments that were none, checkouts or escrows that are not paid, keys, executions with `simulateFault`, streams or bytes of bodies, or too much work, or too many files, that are not paid for, in a short time or at once. Nothing was taken for this one, of the month's requests neither.",
    action:
      'Wait `Retry-After` and send the same request, with the same ticket or credential if it had one; `errors` and `RateLimit-Policy` say how many there may be. What is refused as work for nothing is done for a payment at once.',
  },
  QUEUE_FULL: {
    meaning: 'As much work of this size is waiting as the service takes.',
    action: 'Wait `Retry-After` and send the same request, with the same credential if it had one.',
  },
  HEADERS_TOO_LARGE: {
    meaning: 'The header fields together exceed 32 KiB.',
    action: 'Send fewer or shorter ones.',
  },
  INTERNAL: {
    meaning: 'Something failed on our side.',
    action:
      'Retry once with the same credential; report the `traceId` if it stays. A payment that was not delivered is kept.',
  },
  NOT_YET_AVAILABLE: {
    meaning:
      'A service was asked over the bus for a tool that another one runs. The routes lead no call there: gateway and services are of different versions. Nothing is charged.',
    action: 'Ask again once they are of one version.',
  },
  SERVICE_UNAVAILABLE: {
    meaning: 'A service that this call needs is away.',
    action: 'Wait `Retry-After` and send the same request with the same credential.',
  },
  OVERLOADED: {
    meaning: 'The service is at its capacity.',
    action: 'Wait `Retry-After` and send the same request with the same credential.',
  },
  SETTLEMENT_UNKNOWN: {
    meaning: 'The outcome of the payment is not known yet; it is being found out.',
    action: 'Wait `Retry-After` and send the same credential again. Never pay again.',
  },
  TIMEOUT: {
    meaning: 'The service did not answer in time.',
    action: 'Send the same request with the same credential again.',
  },
};

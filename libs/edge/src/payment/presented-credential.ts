import type { PaymentCredential } from '@svc/contracts';
import { problem } from '@svc/platform';
import { paymentIdOf, PaymentRefusal } from '@svc/protocols';
import type { IncomingMessage } from 'node:http';
import { accountKeyLines, accountKeyOf } from '../account/account-key.js';
import { authorizationLines, headerLines } from '../http/header-lines.js';
import { idempotencyKeyOf } from '../http/idempotency-key.js';
import { PackedBody } from '../http/packed-body.js';

/** Characters of the longest credential that is passed on. */
const CREDENTIAL_CHARS_MAX = 16_384;
/** Characters of the longest challenge that is passed on. */
const CHALLENGE_CHARS_MAX = 4_096;

type Scheme = PaymentCredential['scheme'];
/** Scheme and credential of a line, in time that grows with its length: whatever a line is, it is read before anything is counted. */
function partsOf(line: string): [name: string, value: string] {
  const text = line.trim();
  const [name] = /^[A-Za-z0-9._~+-]*/.exec(text)!;
  return [name, text.slice(name.length).trimStart()];
}

/**
 * The headers that each carry a payment of their own, and how one is read: by the scheme in front of the credential, or,
 * where the header itself is the scheme, whole. What version of x402 it is, the payload says.
 */
const PAYMENT_HEADERS: Readonly<Record<string, Readonly<Record<string, Scheme>> | Scheme>> = {
  authorization: { l402: 'L402', lsat: 'L402', payment: 'Payment' },
  'payment-authorization': { payment: 'Payment' },
  'payment-signature': 'x402',
  'x-payment': 'x402',
  'payment-credential': { spt: 'SPT' },
};

/** What a request brings to pay with. */
export interface PresentedCredential {
  /** Pays where there is one, also beside a key. */
  readonly payment?: PaymentCredential;
  /** Whose account it is, and who pays without a payment. */
  readonly accountKey?: string;
  /** The same for every retry of one purchase. */
  readonly idempotencyKey?: string;
}

/** Whether a request brings a payment, readable or not; a key is none. */
export const bringsPayment = (request: IncomingMessage): boolean => paymentLines(request).length > 0;

/** Whether a request brings anything to pay with, readable or not. */
export const bringsCredential = (request: IncomingMessage): boolean =>
  bringsPayment(request) || accountKeyLines(request).length > 0;

/** Whether a body says nothing: absent, or `{}`. Clients that know no more than the path send such to be told the price. */
export function isEmptyBody(body: unknown): boolean {
  if (body === undefined) return true;
  if (body instanceof PackedBody) return body.isEmpty;
  return typeof body === 'object' && body !== null && !Array.isArray(body) && Object.keys(body).length === 0;
}

/**
 * Reads what a request brings to pay with.
 * @param challengeInBody the challenge that a shared payment token is for, where the body may name it
 * @throws ProblemError CONFLICTING_CREDENTIALS, PAYMENT_METHOD_UNSUPPORTED, PAYMENT_MALFORMED, UNKNOWN_CREDENTIAL;
 * VALIDATION_FAILED for an Idempotency-Key that is none
 */
export function readCredential(request: IncomingMessage, challengeInBody?: string): PresentedCredential {
  const presented = distinct(paymentLines(request));
  if (presented.length > 1) {
    const names = presented.map(([name]) => name).join(', ');
    throw problem(
      'CONFLICTING_CREDENTIALS',
      `Send one payment credential; ${presented.length} came: ${names}`,
    );
  }
  const payment = presented.length === 1 ? paymentOf(presented[0], request, challengeInBody) : undefined;
  return { payment, accountKey: accountKeyOf(request), idempotencyKey: purchaseIdOf(request, payment) };
}

/**
 * What a client calls its purchase by: the `Idempotency-Key` of the request, or the id within a payment of x402.
 * @throws ProblemError VALIDATION_FAILED for two that differ; PAYMENT_MALFORMED for an id of another form
 */
function purchaseIdOf(request: IncomingMessage, payment: PaymentCredential | undefined): string | undefined {
  const key = idempotencyKeyOf(request);
  const id = payment?.scheme === 'x402' ? idWithin(payment.value) : undefined;
  if (key === undefined || id === undefined || key === id) return key ?? id;
  const message = 'is another than extensions["payment-identifier"].info.id of the payment: send one';
  throw problem('VALIDATION_FAILED', `Idempotency-Key: ${message}`, {
    errors: [{ path: 'Idempotency-Key', message }],
  });
}

function idWithin(value: string): string | undefined {
  try {
    return paymentIdOf(value);
  } catch (error) {
    if (error instanceof PaymentRefusal) throw problem(error.code, error.message);
    throw error;
  }
}

/**
 * Logins, by the IANA registry of HTTP authentication schemes: they pay for nothing. A bearer token is an account key, and all others
 * are meant for somebody before us; any other scheme may be a payment that was spelled wrong.
 */
const LOGIN =
  /^\s*(?:basic|bearer|concealed|digest|dpop|gnap|hoba|mutual|negotiate|oauth|privatetoken|scram-sha-(?:1|256)|vapid)(?:\s|$)/i;
/** What begins a payment in `Authorization`. */
const PAYS = /^\s*(?:l402|lsat|payment)(\s|$)/i;

/**
 * The lines that pay, readable or not. A client that brings its payment in `Payment-Authorization` keeps `Authorization` for a login
 * to somebody before us, whatever its scheme.
 */
function paymentLines({ rawHeaders }: IncomingMessage): PaymentLine[] {
  return Object.keys(PAYMENT_HEADERS).flatMap(name => {
    if (name !== 'authorization')
      return headerLines(rawHeaders, name).map((value): PaymentLine => [name, value]);
    const isApart = headerLines(rawHeaders, 'payment-authorization').length > 0;
    return authorizationLines(rawHeaders)
      .filter(line => !LOGIN.test(line) && (!isApart || PAYS.test(line)))
      .map((value): PaymentLine => [name, value]);
  });
}

type PaymentLine = readonly [name: string, value: string];

/**
 * Credentials that say the same count once: clients that do not know how old a server is send one under an old and a new name
 * (`LSAT` and `L402`).
 */
function distinct(lines: readonly PaymentLine[]): PaymentLine[] {
  const first = new Map<string, PaymentLine>();
  for (const line of lines) {
    const meaning = meaningOf(line);
    if (!first.has(meaning)) first.set(meaning, line);
  }
  return [...first.values()];
}

/** Whether `Authorization` is taken by a login: a payment then wants a field of its own. */
export const bringsLogin = ({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean =>
  authorizationLines(rawHeaders).some(line => line.trim() !== '' && !PAYS.test(line));

/** What a line says, whatever its scheme is called and however its base64 is written; the line itself where it cannot be read. */
function meaningOf([header, line]: PaymentLine): string {
  const schemes = PAYMENT_HEADERS[header];
  const [name, value] = partsOf(line);
  const scheme = typeof schemes === 'string' ? schemes : schemes[name.toLowerCase()];
  if (scheme === undefined) return `${header} ${line.trim()}`;
  const text = typeof schemes === 'string' ? line.trim() : value;
  const parts = text.split(/([:,])/).map(part => (/^[A-Za-z0-9+/_-]+=*$/.test(part) ? bytesOf(part) : part));
  return `${scheme} ${parts.join('')}`;
}

/** Hexadecimal of the bytes of base64, base64url or hexadecimal digits; the text itself where it is none of these to the last bit. */
function bytesOf(text: string): string {
  if (/^(?:[0-9a-f]{2})+$/i.test(text)) return text.toLowerCase();
  const bytes = Buffer.from(text, 'base64');
  const urlText = text.replace(/=+$/, '').replaceAll('+', '-').replaceAll('/', '_');
  return bytes.toString('base64url') === urlText ? bytes.toString('hex') : text;
}

function paymentOf(
  [name, line]: PaymentLine,
  request: IncomingMessage,
  challengeInBody: string | undefined,
): PaymentCredential {
  const schemes = PAYMENT_HEADERS[name];
  const [scheme, value] =
    typeof schemes === 'string' ? [schemes, line.trim()] : schemeAndValue(name, line, schemes);
  if (value === '') throw problem('PAYMENT_MALFORMED', `${name} holds no credential`);
  if (value.length > CREDENTIAL_CHARS_MAX) {
    const detail = `The credential has ${value.length} characters, at most ${CREDENTIAL_CHARS_MAX} are read`;
    throw problem('PAYMENT_MALFORMED', detail);
  }
  return scheme === 'SPT'
    ? { scheme, value, challengeToken: challengeTokenOf(request, challengeInBody) }
    : { scheme, value };
}

function schemeAndValue(
  header: string,
  line: string,
  schemes: Readonly<Record<string, Scheme>>,
): [scheme: Scheme, value: string] {
  const [name, value] = partsOf(line);
  if (Object.hasOwn(schemes, name.toLowerCase())) return [schemes[name.toLowerCase()], value];
  const known = Object.keys(schemes).map(scheme => scheme.toUpperCase());
  // What stands where a scheme should be may be the secret itself.
  const apart =
    header === 'authorization' ? '; beside a login a payment is sent as Payment-Authorization' : '';
  throw problem(
    'PAYMENT_METHOD_UNSUPPORTED',
    `${header} must begin with one of ${known.join(', ')} here, and then a space${apart}`,
  );
}

/** A token is bound to no price: what it is to pay, the challenge says that its payer was given. */
function challengeTokenOf({ rawHeaders }: IncomingMessage, inBody: string | undefined): string {
  const lines = headerLines(rawHeaders, 'x-402-challenge');
  if (lines.length > 1) throw problem('CONFLICTING_CREDENTIALS', 'Send one X-402-Challenge; more came');
  const challengeToken = lines[0]?.trim() ?? inBody ?? '';
  if (inBody !== undefined && inBody !== challengeToken) {
    throw problem(
      'CONFLICTING_CREDENTIALS',
      'X-402-Challenge and challengeToken are two challenges: send one',
    );
  }
  if (challengeToken === '') {
    throw problem(
      'PAYMENT_MALFORMED',
      'A shared payment token is bound to no price: send the X-402-Challenge of the 402 beside it, in the header of that name',
    );
  }
  if (challengeToken.length > CHALLENGE_CHARS_MAX) {
    const detail = `X-402-Challenge has ${challengeToken.length} characters, at most ${CHALLENGE_CHARS_MAX} are read`;
    throw problem('PAYMENT_MALFORMED', detail);
  }
  return challengeToken;
}

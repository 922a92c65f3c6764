import type { PaymentCredential } from '@svc/contracts';
import { problem } from '@svc/platform';
import type { IncomingMessage } from 'node:http';

/** Characters of the longest credential that is passed on. */
const CREDENTIAL_CHARS_MAX = 16_384;

/** Headers that each carry a payment of their own. */
const PAYMENT_HEADERS = ['authorization', 'payment-signature', 'x-payment', 'payment-credential'];

const SCHEMES: Readonly<Record<string, PaymentCredential['scheme']>> = {
  l402: 'L402',
  lsat: 'L402',
  payment: 'Payment',
};

/** What a request brings to pay with. */
export interface PresentedCredential {
  readonly payment?: PaymentCredential;
  /** Whether it names an account with `X-SVC-KEY`. */
  readonly hasAccountKey: boolean;
}

/** Whether a request brings anything to pay with, readable or not. */
export function bringsCredential(request: IncomingMessage): boolean {
  return PAYMENT_HEADERS.some(name => name in request.headers) || 'x-svc-key' in request.headers;
}

/**
 * Reads what a request brings to pay with.
 * @throws ProblemError CONFLICTING_CREDENTIALS, PAYMENT_METHOD_UNSUPPORTED, PAYMENT_MALFORMED
 */
export function readCredential(request: IncomingMessage): PresentedCredential {
  const hasAccountKey = 'x-svc-key' in request.headers;
  const presented = paymentLines(request);
  if (presented.length === 0) return { hasAccountKey };
  if (presented.length > 1) {
    const names = presented.map(([name]) => name).join(', ');
    throw problem(
      'CONFLICTING_CREDENTIALS',
      `Send one payment credential; ${presented.length} came: ${names}`,
    );
  }
  const [name, value] = presented[0];
  if (name !== 'authorization') {
    throw problem(
      'PAYMENT_METHOD_UNSUPPORTED',
      `Payments in ${name} are not offered here; the 402 lists what is`,
    );
  }
  return { hasAccountKey, payment: authorizationOf(value) };
}

/** From the raw lines: node drops a second Authorization before anybody sees it. */
function paymentLines({ rawHeaders }: IncomingMessage): [name: string, value: string][] {
  const lines: [string, string][] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index].toLowerCase();
    if (PAYMENT_HEADERS.includes(name)) lines.push([name, rawHeaders[index + 1]]);
  }
  return lines;
}

function authorizationOf(value: string): PaymentCredential {
  const [, name = '', credential = ''] = /^\s*([A-Za-z0-9._~+-]*)\s*(.*)$/s.exec(value) ?? [];
  const scheme = SCHEMES[name.toLowerCase()];
  if (!scheme) {
    throw problem(
      'PAYMENT_METHOD_UNSUPPORTED',
      `Authorization must be L402, LSAT or Payment here, got ${JSON.stringify(name.slice(0, 40))}`,
    );
  }
  if (credential === '') throw problem('PAYMENT_MALFORMED', `Authorization: ${name} has no credential`);
  if (credential.length > CREDENTIAL_CHARS_MAX) {
    const detail = `The credential has ${credential.length} characters, at most ${CREDENTIAL_CHARS_MAX} are read`;
    throw problem('PAYMENT_MALFORMED', detail);
  }
  return { scheme, value: credential };
}

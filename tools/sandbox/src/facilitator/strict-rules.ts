/** Units of the token, millionths of a dollar, that are settled at least: a tenth of a cent. */
export const LEAST_AMOUNT = 1_000n;
/** Characters of the longest description that is taken. */
export const DESCRIPTION_CHARS_MAX = 500;
/** Bytes of all headers of a request, and of a payment as the header in which its payer sends it. */
export const HEADER_BYTES_MAX = 8_192;

/** Why a payment is not looked at: a reason as x402 names it, and what is wrong, by field, bound and value. */
export interface StrictFault {
  readonly reason: 'invalid_payload' | 'invalid_payment_requirements';
  readonly message: string;
}

/** What a facilitator is asked about, of either version. */
export interface FacilitatorQuestion {
  readonly paymentPayload: Readonly<Record<string, unknown>>;
  readonly paymentRequirements: Readonly<Record<string, unknown>>;
}

/**
 * What the strictest facilitators refuse although its signature may be good: all of it is for the server to mend, and none of it for
 * the payer.
 *
 * @param leastAmount units of the token that are settled at least
 */
export function strictFaultOf(question: FacilitatorQuestion, leastAmount: bigint): StrictFault | undefined {
  return (
    resourceFault(question) ??
    amountFault(question, leastAmount) ??
    bazaarFault(question) ??
    lengthFault(question)
  );
}

/** Of version 2 in the payment, of version 1 in what it is to fulfil. */
function resourceFault({ paymentPayload, paymentRequirements }: FacilitatorQuestion) {
  const resource = paymentPayload.resource;
  const { url, description } = isRecord(resource)
    ? resource
    : { url: paymentRequirements.resource, description: paymentRequirements.description };
  if (typeof url !== 'string' || !URL.canParse(url) || new URL(url).protocol !== 'https:')
    return fault('invalid_payment_requirements', `resource must be an https URL, got ${shown(url)}`);
  if (description === undefined) return undefined;
  const isShort = typeof description === 'string' && description.length <= DESCRIPTION_CHARS_MAX;
  if (isShort) return undefined;
  const got = typeof description === 'string' ? `${description.length} characters` : shown(description);
  return fault(
    'invalid_payment_requirements',
    `description must be text of at most ${DESCRIPTION_CHARS_MAX} characters, got ${got}`,
  );
}

function amountFault({ paymentRequirements }: FacilitatorQuestion, leastAmount: bigint) {
  const amount = paymentRequirements.amount ?? paymentRequirements.maxAmountRequired;
  const isEnough =
    typeof amount === 'string' && /^[0-9]{1,78}$/.test(amount) && BigInt(amount) >= leastAmount;
  if (isEnough) return undefined;
  return fault(
    'invalid_payment_requirements',
    `amount must be at least ${leastAmount}, got ${shown(amount)}`,
  );
}

/** A resource that is to be listed says how it is called. */
function bazaarFault({ paymentPayload: { extensions } }: FacilitatorQuestion) {
  const bazaar = isRecord(extensions) ? extensions.bazaar : undefined;
  if (bazaar === undefined) return undefined;
  const info = isRecord(bazaar) ? bazaar.info : undefined;
  const input = isRecord(info) ? info.input : undefined;
  if (isRecord(input) && (input.type === 'http' || input.type === 'mcp')) return undefined;
  const got = shown(input);
  return fault('invalid_payload', `extensions.bazaar.info.input must be of type http or mcp, got ${got}`);
}

function lengthFault({ paymentPayload }: FacilitatorQuestion) {
  const bytes = Buffer.from(JSON.stringify(paymentPayload)).toString('base64').length;
  if (bytes <= HEADER_BYTES_MAX) return undefined;
  return fault(
    'invalid_payload',
    `the payment as a header must have at most ${HEADER_BYTES_MAX} bytes, got ${bytes}`,
  );
}

const fault = (reason: StrictFault['reason'], message: string): StrictFault => ({ reason, message });
const shown = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 80);
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

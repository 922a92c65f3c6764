import {
  BODY_BYTES_MAX_DEFAULT,
  PaymentChallenge,
  PaymentInFlight,
  ProblemDetails,
  PROBLEMS,
  type Route,
  TOOL_NAMES,
  type ToolName,
} from '@svc/contracts';
import { CARD_BUNDLE_MICRO_USD_MIN, findPrice, type Price, priceOf } from '@svc/protocols';
import type { z } from 'zod';
import { isForOperatorsAlone } from '../http/operator-listener.js';
import { problemsOf } from './route-problems.js';
import type { JsonSchema, SchemaComponents } from './schema-components.js';

export type Operation = Record<string, unknown>;

/** The two ways to send one account key. */
const KEY_SCHEMES = [{ svcKey: [] }, { svcKeyBearer: [] }];
/** Which of them can settle now, the 402 says, and `rails` of /health. */
const PAYMENT_SCHEMES = [{ l402: [] }, { payment: [] }, { x402: [] }, { x402_spt: [] }, ...KEY_SCHEMES];

/** A tool and its price. */
interface ToolPrice extends Price {
  readonly tool: ToolName;
}

/** Prices of the tools, in the order of the catalogue. */
export const toolPrices = (): ToolPrice[] => TOOL_NAMES.map(tool => ({ tool, ...priceOf(`tool.${tool}`) }));

/** Whether a route is sold at the price of the tool that its request is about, and has none of its own. */
const sellsTools = ({ access, operationId }: Route): boolean =>
  access === 'paid' && /^(x402|tools)\./.test(operationId) && findPrice(operationId) === undefined;

/** The OpenAPI operation of a route; what it refers to is added to the components. */
export function operationOf(route: Route, components: SchemaComponents): Operation {
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: descriptionOf(route),
    tags: [route.tag],
    ...securityOf(route),
    ...parametersOf(route, components),
    ...requestBodyOf(route, components),
    responses: { ...repliesOf(route, components), ...problemResponsesOf(route, components) },
    ...extensionsOf(route),
  };
}

const OPERATORS_ALONE =
  'In production it is served by the listener of operators alone (`OPERATOR_PORT`), and is 404 at the public address.';

function descriptionOf(route: Route): string {
  const parts: string[] = [];
  if (route.description) parts.push(route.description);
  if (route.body) parts.push(`Reads at most ${route.bodyBytesMax ?? BODY_BYTES_MAX_DEFAULT} bytes of body.`);
  if (isForOperatorsAlone(route.path)) parts.push(OPERATORS_ALONE);
  return parts.length > 0 ? parts.join('\n\n') : `${route.summary}.`;
}

/** An empty alternative says that the route also answers without a credential. */
function securityOf(route: Route): Operation {
  switch (route.access) {
    case 'free':
      return { security: [] };
    case 'quota':
      return { security: [{}, ...PAYMENT_SCHEMES] };
    case 'paid':
      return { security: PAYMENT_SCHEMES };
    case 'key':
    case 'admin':
      return { security: KEY_SCHEMES };
  }
}

function parametersOf(route: Route, components: SchemaComponents): Operation {
  const parameters = [
    ...parametersIn('path', route.params, components),
    ...parametersIn('query', route.query, components),
    ...parametersIn('header', route.headers, components),
  ];
  return parameters.length > 0 ? { parameters } : {};
}

function parametersIn(
  place: 'path' | 'query' | 'header',
  schema: z.ZodObject | undefined,
  components: SchemaComponents,
): Operation[] {
  if (!schema) return [];
  return Object.entries(schema.shape).map(([name, field]) => {
    const { description, ...converted } = components.request(field as z.ZodType);
    const required = place === 'path' || !(field as z.ZodType).safeParse(undefined).success;
    return { name, in: place, required, ...(description ? { description } : {}), schema: converted };
  });
}

function requestBodyOf(route: Route, components: SchemaComponents): Operation {
  if (!route.body) return {};
  const { schema, mediaType = 'application/json' } = route.body;
  // Octets need no schema in OpenAPI 3.1, but makers of clients leave the operation out without this one.
  const isOctets = mediaType === 'application/octet-stream';
  const described = isOctets ? { type: 'string', format: 'binary' } : components.request(schema);
  return { requestBody: { required: true, content: { [mediaType]: { schema: described } } } };
}

function repliesOf(route: Route, components: SchemaComponents): Operation {
  const replies = Object.entries(route.replies).map(([status, reply]) => {
    const headers = Object.entries(reply.headers ?? {}).map(([name, description]) => [
      name,
      { description, schema: { type: 'string' } },
    ]);
    const answer = {
      description: reply.description,
      ...(headers.length > 0 ? { headers: Object.fromEntries(headers) } : {}),
      ...(reply.schema ? { content: contentOf(reply.mediaType, components.reply(reply.schema)) } : {}),
    };
    return [status, answer];
  });
  return Object.fromEntries(replies);
}

/** Of several media types the first has the schema; octets, pages and streams are strings. */
function contentOf(mediaTypes = 'application/json', schema: JsonSchema): Operation {
  const [first, ...others] = mediaTypes.split(', ');
  const content: Operation = { [first]: { schema } };
  for (const type of others)
    content[type] = { schema: type === 'application/octet-stream' ? {} : { type: 'string' } };
  return content;
}

function problemResponsesOf(route: Route, components: SchemaComponents): Operation {
  const problem = components.reply(ProblemDetails);
  // A payment can be held by a job where the route begins one.
  const namesJob = (status: number) => status === 409 && route.tag === 'Proofs' && 202 in route.replies;
  const schemaFor = (status: number, codes: readonly string[]) => {
    if (codes.includes('PAYMENT_REQUIRED')) return { allOf: [problem, components.reply(PaymentChallenge)] };
    return namesJob(status) ? { allOf: [problem, components.reply(PaymentInFlight)] } : problem;
  };
  const byStatus = new Map<number, string[]>();
  for (const code of problemsOf(route)) {
    const { status } = PROBLEMS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const responses = [...byStatus]
    .sort(([a], [b]) => a - b)
    // A status that the route itself answers, such as 503 of readiness, is not a problem there.
    .filter(([status]) => !(status in route.replies))
    .map(([status, codes]) => [
      status,
      {
        description: codes.map(code => `\`${code}\``).join(', '),
        ...headersOf(status, codes, namesJob(status)),
        content: route.refusal
          ? { 'application/json': { schema: components.reply(route.refusal) } }
          : { 'application/problem+json': { schema: schemaFor(status, codes) } },
      },
    ]);
  return Object.fromEntries(responses);
}

function headersOf(status: number, codes: readonly string[], namesJob: boolean): Operation {
  if (codes.includes('PAYMENT_REQUIRED')) return { headers: challengeHeaders() };
  if (status !== 503 && status !== 429 && !codes.includes('PAYMENT_IN_FLIGHT')) return {};
  return {
    headers: {
      'Retry-After': retryAfter(),
      ...(status === 429 ? rateLimitHeaders() : {}),
      ...(namesJob ? { Location: jobLocation() } : {}),
    },
  };
}

const retryAfter = () => ({ description: 'Seconds to wait', schema: { type: 'integer', minimum: 1 } });
const jobLocation = () => ({ description: 'The job that holds the payment', schema: { type: 'string' } });
const rateLimitHeaders = () => ({
  RateLimit: { description: 'What is left of the policy that was broken', schema: { type: 'string' } },
  'RateLimit-Policy': { description: 'The policy that was broken', schema: { type: 'string' } },
});
const challengeHeaders = () => ({
  'WWW-Authenticate': { description: 'One line a challenge: L402, Payment', schema: { type: 'string' } },
  'PAYMENT-REQUIRED': {
    description: 'Base64 JSON: what x402 version 2 asks; version 1 reads `accepts` of the body',
    schema: { type: 'string' },
  },
  'X-402-Challenge': { description: 'The challenge token', schema: { type: 'string' } },
});

/** Ways to pay, as a client picks one before it asks. */
const PROTOCOLS = ['l402', 'mpp', 'x402', 'spt', 'svc-key'];
const MICRO_USD_PER_CENT = 10_000;

/** `x-payment-info` is in the form of the MPP discovery draft, and only where a payment is taken. */
function extensionsOf(route: Route): Operation {
  const price = findPrice(route.operationId);
  if (!price && sellsTools(route)) return { 'x-payment-info': paymentInfoOfTools(toolPrices()) };
  const ofTool = toolPrices().find(({ operationId }) => operationId === route.operationId);
  if (ofTool) {
    const { priceUsd, amountSats } = ofTool;
    return { 'x-payment-info': { ...paymentInfoOfTools([ofTool]), priceUsd, priceSats: amountSats } };
  }
  return price ? { 'x-payment-info': paymentInfoOf(price) } : {};
}

const AVAILABILITY =
  'The prices of every rail; those that can settle now are in `rails` of the 402 and of /health';

/** What a route asks for the tools that it sells: catalogue challenges have no MPP over Lightning. */
function paymentInfoOfTools(prices: readonly ToolPrice[]): Operation {
  const cardMicroUsd = Math.max(CARD_BUNDLE_MICRO_USD_MIN, ...prices.map(price => price.amountMicroUsd));
  const amount = String(Math.ceil(cardMicroUsd / MICRO_USD_PER_CENT));
  const units = String(Math.max(...prices.map(price => price.amountMicroUsd)));
  const charge = { intent: 'charge', description: 'A tool' };
  return {
    offers: [
      { method: 'stripe', ...charge, amount, currency: 'usd' },
      { method: 'evm', ...charge, amount: units, currency: 'USDC' },
    ],
    protocols: PROTOCOLS,
    availability: AVAILABILITY,
    charged: 'always',
    tools: Object.fromEntries(
      prices.map(({ tool, priceUsd, amountSats }) => [tool, { priceUsd, priceSats: amountSats }]),
    ),
  };
}

/** The price on each rail; a card pays its least amount, and the rest of that is credit on a key. */
function paymentInfoOf(price: Price): Operation {
  const { amountMicroUsd, amountSats, priceUsd, description, charged } = price;
  const cardMicroUsd = Math.max(amountMicroUsd, CARD_BUNDLE_MICRO_USD_MIN);
  const cents = String(Math.ceil(cardMicroUsd / MICRO_USD_PER_CENT));
  const charge = { intent: 'charge', description };
  return {
    offers: [
      { method: 'lightning', ...charge, amount: String(amountSats), currency: 'sat' },
      { method: 'stripe', ...charge, amount: cents, currency: 'usd' },
      { method: 'evm', ...charge, amount: String(amountMicroUsd), currency: 'USDC' },
    ],
    x402: { scheme: 'exact', asset: 'USDC', amount: String(amountMicroUsd) },
    protocols: PROTOCOLS,
    availability: AVAILABILITY,
    charged,
    priceUsd,
    priceSats: amountSats,
  };
}

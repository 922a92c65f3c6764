import {
  BODY_BYTES_MAX_DEFAULT,
  PaymentChallenge,
  PaymentInFlight,
  ProblemDetails,
  PROBLEMS,
  type Route,
} from '@svc/contracts';
import { findPrice } from '@svc/protocols';
import type { z } from 'zod';
import { problemsOf } from './route-problems.js';
import type { JsonSchema, SchemaComponents } from './schema-components.js';

export type Operation = Record<string, unknown>;

const PAYMENT_SCHEMES = [{ l402: [] }, { payment: [] }];

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

function descriptionOf(route: Route): string {
  const parts: string[] = [];
  if (!route.available) {
    parts.push('**Not in service yet**: answers 501 `NOT_YET_AVAILABLE`; nothing is charged.');
  }
  if (route.description) parts.push(route.description);
  if (route.body) parts.push(`Reads at most ${route.bodyBytesMax ?? BODY_BYTES_MAX_DEFAULT} bytes of body.`);
  return parts.length > 0 ? parts.join('\n\n') : `${route.summary}.`;
}

/**
 * A route in service lists the schemes that can pay now, another one those that are to come as well.
 * An empty alternative says that the route also answers without a credential.
 */
function securityOf(route: Route): Operation {
  switch (route.access) {
    case 'free':
      return { security: [] };
    case 'quota':
      return { security: [{}, { svcKey: [] }, ...PAYMENT_SCHEMES] };
    case 'paid':
      return {
        security: route.available ? PAYMENT_SCHEMES : [...PAYMENT_SCHEMES, { x402_spt: [] }, { svcKey: [] }],
      };
    case 'key':
    case 'admin':
      return { security: [{ svcKey: [] }] };
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
  return {
    requestBody: { required: true, content: { [mediaType]: { schema: components.request(schema) } } },
  };
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
  const namesJob = (status: number) => status === 409 && 202 in route.replies;
  const schemaFor = (status: number) => {
    if (status === 402) return { allOf: [problem, components.reply(PaymentChallenge)] };
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
        ...(status === 402 ? { headers: challengeHeaders() } : {}),
        ...(status === 503 || status === 429 || codes.includes('PAYMENT_IN_FLIGHT')
          ? {
              headers: {
                'Retry-After': retryAfter(),
                ...(namesJob(status) ? { Location: jobLocation() } : {}),
              },
            }
          : {}),
        content: { 'application/problem+json': { schema: schemaFor(status) } },
      },
    ]);
  return Object.fromEntries(responses);
}

const retryAfter = () => ({ description: 'Seconds to wait', schema: { type: 'integer', minimum: 1 } });
const jobLocation = () => ({ description: 'The job that holds the payment', schema: { type: 'string' } });
const challengeHeaders = () => ({
  'WWW-Authenticate': { description: 'One line a challenge: L402, Payment', schema: { type: 'string' } },
  'X-402-Challenge': { description: 'The challenge token', schema: { type: 'string' } },
});

/**
 * `x-payment-info` is in the form of the MPP discovery draft, and only where a payment is taken
 * today; a price that is published ahead of its engine is `x-planned-price`.
 */
function extensionsOf(route: Route): Operation {
  const price = findPrice(route.operationId);
  if (!route.available) {
    const planned = price
      ? { 'x-planned-price': { priceUsd: price.priceUsd, priceSats: price.amountSats } }
      : {};
    return { 'x-availability': 'not-yet', ...planned };
  }
  if (!price) return { 'x-availability': 'live' };
  const offer = {
    method: 'lightning',
    intent: 'charge',
    amount: String(price.amountSats),
    currency: 'sat',
    description: price.description,
  };
  return {
    'x-availability': 'live',
    'x-payment-info': { offers: [offer], priceUsd: price.priceUsd, priceSats: price.amountSats },
  };
}

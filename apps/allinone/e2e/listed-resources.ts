import { expect } from '@jest/globals';
import { type Route, ROUTES, SOLD_RESOURCES, X402Resources } from '@svc/contracts';
import { SANDBOX_USDC_CODE, startLocalChain } from '@svc/sandbox';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import { PaymentRequiredV1Schema, PaymentRequiredV2Schema } from '@x402/core/schemas';
import {
  extractDiscoveryInfo,
  validateDiscoveryExtension,
  validateDiscoveryExtensionSpec,
} from '@x402/extensions/bazaar';
import { request } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { chainActor } from './x402-wallet.js';

/** Base, and the address of USDC on it: a chain that production takes. */
const [BASE, BASE_USDC] = [8_453, '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'];
/** Bytes that a 402's header has at most: the design's bound. */
const HEADER_BYTES_MAX = 6_144;

/** A local chain that says it is Base, with the token at its address there, and the variables of a service that is paid on it. */
export async function startChainOfProduction() {
  const chain = (await startLocalChain())!;
  const { call } = chainActor(chain);
  await call('anvil_setChainId', BASE);
  await call('anvil_setCode', BASE_USDC, SANDBOX_USDC_CODE);
  const variables = {
    X402_PAY_TO: chain.payTo,
    X402_NETWORK: `eip155:${BASE}`,
    X402_RPC_URL: chain.rpcUrl,
    X402_FACILITATOR_KEY: chain.facilitatorKey,
  };
  return { variables, close: () => chain.close() };
}

/** One of the ways in which crawlers ask a resource for its price. */
interface Probe {
  readonly method: string;
  readonly target: string;
  /** Text of JSON; undefined for no body. */
  readonly body?: string;
  readonly contentType?: string;
}
interface Answered {
  readonly status: number;
  readonly text: string;
  /** `PAYMENT-REQUIRED` */
  readonly header?: string;
}
interface HttpInput {
  readonly method: string;
  readonly queryParams?: Record<string, string>;
  readonly body?: unknown;
}
/** The declaration of a 402, where it has one. */
interface Declared {
  readonly resource: string;
  readonly bazaar?: { readonly info: { readonly input: HttpInput } };
}

/**
 * Expects of a deployment that each address which it lists for x402, and each that a 402 declares for catalogues, answers all that
 * crawlers send with 402 and the terms that it lists.
 *
 * @param address where its gateway listens
 * @param origin by which the public calls it
 */
export async function expectPayableAsListed(address: string, origin: string): Promise<void> {
  const ask = (probe: Probe) => send(address, new URL(origin).host, probe);
  const { text } = await ask({ method: 'GET', target: '/.well-known/x402' });
  const { items, resources } = X402Resources.parse(JSON.parse(text));
  expect(resources).toEqual(SOLD_RESOURCES.map(({ target }) => origin + target));
  const faults: string[] = [];
  for (const item of items) {
    const target = item.resource.slice(origin.length);
    const bare: Probe = { method: item.method, target };
    const answered = await ask(bare);
    const declared = declaredBy(answered);
    const { bazaar, resource } = declared;
    if (resource !== item.resource) faults.push(`${item.resource}: its 402 declares ${resource}`);
    const wrong = declarationFault(answered);
    if (wrong !== undefined) faults.push(`${item.resource}: ${wrong}`);
    const asking = probesOf(item.method, target, bazaar).map(
      async probe => [probe, await ask(probe)] as const,
    );
    for (const [probe, answer] of [[bare, answered] as const, ...(await Promise.all(asking))]) {
      const isSame = isDeepStrictEqual(declaredBy(answer), declared);
      const why = faultOf(answer, item.accepts) ?? (isSame ? undefined : 'another declaration');
      if (why !== undefined) faults.push(`${probe.method} ${item.resource} ${probe.body ?? ''}: ${why}`);
    }
  }
  faults.push(...(await strangersOf(ask, resources)));
  expect(faults).toEqual([]);
}

function probesOf(method: string, target: string, bazaar: Declared['bazaar']): Probe[] {
  const [path] = target.split('?');
  if (method === 'GET') return [{ method, target: path }];
  const json = { method, target, contentType: 'application/json' };
  const input = bazaar?.info.input;
  const query = new URLSearchParams(input?.queryParams).toString();
  return [
    json,
    { ...json, body: '{}' },
    ...(input
      ? [
          {
            ...{ method: input.method, target: query === '' ? path : `${path}?${query}` },
            ...{ contentType: json.contentType, body: JSON.stringify(input.body) },
          },
        ]
      : []),
  ];
}

/** What is wrong with an answer to a crawler; undefined where it is the 402 of these terms. */
function faultOf({ status, text, header }: Answered, listed: readonly object[]): string | undefined {
  if (status !== 402) return `${status} ${text.slice(0, 200)}`;
  if (header === undefined) return '402 without the terms of version 2';
  if (header.length > HEADER_BYTES_MAX) return `${header.length} bytes of PAYMENT-REQUIRED`;
  const required = decodePaymentRequiredHeader(header) as unknown as Record<string, never>;
  if (!PaymentRequiredV2Schema.safeParse(required).success) return 'terms that are none of version 2';
  if (!PaymentRequiredV1Schema.safeParse(JSON.parse(text)).success) return 'terms that are none of version 1';
  const [accepted] = required.accepts as { extra: Record<string, unknown> }[];
  const { jti: _jti, ...extra } = accepted.extra;
  return isDeepStrictEqual([{ ...accepted, extra }], listed) ? undefined : 'other terms than are listed';
}

/** What is wrong with the declaration of a 402, by the package of the extension. */
function declarationFault({ header }: Answered): string | undefined {
  if (header === undefined) return 'no 402 of x402';
  const required = decodePaymentRequiredHeader(header) as unknown as Record<string, never>;
  const [accepted] = required.accepts as object[];
  const { bazaar } = required.extensions as Record<string, never>;
  const { valid, errors = [] } = validateDiscoveryExtensionSpec(bazaar ?? {});
  if (!valid) return `a declaration that is none: ${errors.join()}`;
  const held = validateDiscoveryExtension(bazaar);
  if (!held.valid) return `a declaration against its schema: ${held.errors?.join()}`;
  // As a facilitator reads it from the payment of a client that echoes what it was offered.
  const found = extractDiscoveryInfo({ ...required, accepted, payload: {} } as never, accepted as never);
  return found === null ? 'a declaration that no facilitator lists' : undefined;
}

/** Whose answer may be a 402. */
const mayAsk = ({ method, access }: Route) =>
  ['GET', 'POST'].includes(method) && ['free', 'quota', 'paid'].includes(access);

/** 402s of any route that declare for catalogues what is not listed. */
async function strangersOf(ask: (probe: Probe) => Promise<Answered>, listed: string[]): Promise<string[]> {
  const asking = ROUTES.filter(mayAsk).map(async ({ method, path }) => {
    const target = path.replace(/:\w+/g, 'x').replace('/departments/x', '/departments/proofs');
    const { bazaar, resource } = declaredBy(await ask({ method, target }));
    return bazaar && !listed.includes(resource) ? [`${method} ${target} declares ${resource}`] : [];
  });
  return (await Promise.all(asking)).flat();
}

function declaredBy({ header }: Answered): Declared {
  if (header === undefined) return { resource: 'nothing' };
  const { resource, extensions } = decodePaymentRequiredHeader(header) as unknown as {
    resource: { url: string };
    extensions: { bazaar?: Declared['bazaar'] };
  };
  return { resource: resource.url, bazaar: extensions.bazaar };
}

/** By the name that the public calls, which fetch would not let one say. */
function send(
  address: string,
  host: string,
  { method, target, body, contentType }: Probe,
): Promise<Answered> {
  const headers = {
    host,
    ...(contentType === undefined ? {} : { 'content-type': contentType }),
    ...(method === 'GET' ? {} : { 'content-length': String(Buffer.byteLength(body ?? '')) }),
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(address + target, { method, headers }, incoming => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () =>
        resolve({
          status: incoming.statusCode!,
          text: Buffer.concat(chunks).toString(),
          header: incoming.headers['payment-required'] as string | undefined,
        }),
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

import {
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { Injectable } from '@nestjs/common';
import { paymentsContract, proverContract, starkRoutes, x402Contract, x402Routes } from '@svc/contracts';
import { accountKeyOf } from '@svc/edge';
import { BusClient, problem, ProblemError } from '@svc/platform';
import { CREDIT_PACKS, PLANS, PRICE_LIST, usdText } from '@svc/protocols';
import { readFile } from 'node:fs/promises';
import { ticketOf } from '../x402/presented-ticket.js';
import { JsonRpcFault, RESOURCE_NOT_FOUND } from './json-rpc.js';
import { ANSWER_URI, PROOF_URI, SAGA_URI } from './linked-answer.js';
import { type McpCall, type McpMethod, wholeList } from './mcp-catalogue.js';

/** Documents of the build, beside the compiled code and its sources alike. */
const DOCS = new URL('../../../../docs/', import.meta.url);

/** The documents that are offered: what an agent needs to pay, to call, and to check an answer by itself. */
export const DOCUMENTS: Readonly<Record<string, string>> = {
  mcp: 'Tools over MCP: sessions, payment in both bindings, progress and cancellation',
  tools: 'The ten tools: what each does, and what its answer holds',
  payments: 'How a call is paid: rails, credentials, retries and what is given back',
  accounts: 'Accounts, keys, plans and quotas',
  agents: 'The paid agent endpoints',
  bullion: 'Recording a coin for the ring test, and reading its verdict',
  cards: 'How a card is named, and how its interval is made',
  certificates: 'Auditing a certificate of insurance',
  departments: 'Desks that take work as tasks: progress, cancellation, callbacks',
  arena: 'Problems that agents are scored on, and how they are graded',
  licences: 'Licence keys and how they are checked',
  sagas: 'Tickets, executions and their log',
  proofs: 'Making and checking proofs',
  'own-statements': 'Statements of your own: how a definition is written, proved and verified',
  errors: 'Every failure, what it means, and what a client should do',
  'stark-format': 'Format of a STARK proof, byte by byte',
  'wal-format': 'Format of the write-ahead log and its checkpoints',
  'audit-proofs': 'Format of audit proofs, and how each is checked',
};
const FORMATS = new Set(['stark-format', 'wal-format', 'audit-proofs']);

const PRICES_URI = 'svc://prices';
const MARKDOWN = 'text/markdown';
const JSON_TYPE = 'application/json';

interface Contents {
  readonly uri: string;
  readonly mimeType: string;
  readonly text: string;
}

/** Documents, formats and prices that a client can read, and the records that it can ask for by their ids. */
@Injectable()
export class McpResources {
  readonly methods: Readonly<Record<string, McpMethod>> = {
    'resources/list': wholeList(ListResourcesRequestSchema, { resources: listed() }),
    'resources/templates/list': wholeList(ListResourceTemplatesRequestSchema, {
      resourceTemplates: TEMPLATES,
    }),
    'resources/read': { schema: ReadResourceRequestSchema, answer: call => this.read(call) },
  };

  constructor(private readonly bus: BusClient) {}

  private async read(call: McpCall): Promise<{ contents: Contents[] }> {
    const uri = String(call.params.uri);
    const contents = await this.contentsOf(uri, call).catch((error: unknown) => {
      const isNone = error instanceof ProblemError && ['NOT_FOUND', 'VALIDATION_FAILED'].includes(error.code);
      throw isNone ? notFound(uri) : error;
    });
    return { contents: [contents] };
  }

  private async contentsOf(uri: string, call: McpCall): Promise<Contents> {
    if (uri === PRICES_URI) return json(uri, prices());
    const document = /^svc:\/\/(?:docs|formats)\/([a-z0-9-]+)$/.exec(uri)?.[1];
    if (document !== undefined && uriOf(document) === uri) {
      return { uri, mimeType: MARKDOWN, text: await readFile(new URL(`${document}.md`, DOCS), 'utf8') };
    }
    if (uri.startsWith(PROOF_URI)) return this.proof(uri);
    if (uri.startsWith(SAGA_URI)) return this.saga(uri, call);
    if (uri.startsWith(ANSWER_URI)) return this.answer(uri, call);
    throw notFound(uri);
  }

  private async proof(uri: string): Promise<Contents> {
    const asked = starkRoutes.fetchProof.params.safeParse({ proofId: uri.slice(PROOF_URI.length) });
    if (!asked.success) throw notFound(uri);
    const stored = await this.bus.call(proverContract.fetchProof, asked.data);
    const proof = Buffer.from(stored.proof);
    return json(uri, { ...stored, proofBytes: proof.length, proof: proof.toString('base64') });
  }

  /** As `GET /v1/x402/sagas/:sagaId` does: to the key or the ticket that paid for it. */
  private async saga(uri: string, { request }: McpCall): Promise<Contents> {
    const asked = x402Routes.saga.params.safeParse({ sagaId: uri.slice(SAGA_URI.length) });
    if (!asked.success) throw notFound(uri);
    const holder = { ticket: ticketOf(request.raw), accountKey: accountKeyOf(request.raw) };
    return json(uri, await this.bus.call(x402Contract.saga, { ...asked.data, ...holder }));
  }

  /** A whole answer, to a key of the account that paid for it. */
  private async answer(uri: string, { request }: McpCall): Promise<Contents> {
    const asked = claimId.safeParse(uri.slice(ANSWER_URI.length));
    if (!asked.success) throw notFound(uri);
    const accountKey = accountKeyOf(request.raw);
    if (accountKey === undefined)
      throw problem(
        'UNKNOWN_CREDENTIAL',
        'An answer is shown to its payer: send X-SVC-KEY of the account that paid',
      );
    const { body } = await this.bus.call(paymentsContract.boughtAnswer, { claimId: asked.data, accountKey });
    return { uri, mimeType: JSON_TYPE, text: Buffer.from(body).toString('utf8') };
  }
}

const { claimId } = paymentsContract.boughtAnswer.request.shape;

const TEMPLATES = [
  {
    uriTemplate: `${PROOF_URI}{proofId}`,
    name: 'proof',
    description:
      'A stored proof with its public inputs, its bytes in base64; check it with POST /v1/stark/verify-proof',
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: `${SAGA_URI}{sagaId}`,
    name: 'saga',
    description:
      'A saga and its log, to the key (X-SVC-KEY) or the ticket (X-Execution-Ticket) that paid for it',
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: `${ANSWER_URI}{answerId}`,
    name: 'answer',
    description:
      'A whole answer that a call was sold, for 24 hours, to the account (X-SVC-KEY) that paid for it',
    mimeType: JSON_TYPE,
  },
];

function listed() {
  const documents = Object.entries(DOCUMENTS).map(([name, description]) => ({
    ...{ uri: uriOf(name), name, title: description.split(/[:,]/, 1)[0], description, mimeType: MARKDOWN },
  }));
  const description = 'What every operation costs, in USD and satoshis, with the plans and the credit packs';
  return [
    { uri: PRICES_URI, name: 'prices', title: 'Price list', description, mimeType: JSON_TYPE },
    ...documents,
  ];
}

const uriOf = (document: string): string | undefined =>
  Object.hasOwn(DOCUMENTS, document)
    ? `svc://${FORMATS.has(document) ? 'formats' : 'docs'}/${document}`
    : undefined;

const prices = () => ({
  operations: PRICE_LIST,
  plans: PLANS.map(({ amountMicroUsdPerMonth, ...plan }) => ({
    ...plan,
    priceUsdPerMonth: amountMicroUsdPerMonth === 0 ? '0' : usdText(amountMicroUsdPerMonth),
  })),
  creditPacks: CREDIT_PACKS.map(({ amountMicroUsd, ...pack }) => ({
    ...pack,
    priceUsd: usdText(amountMicroUsd),
  })),
});

const json = (uri: string, value: unknown): Contents => ({
  uri,
  mimeType: JSON_TYPE,
  text: JSON.stringify(value),
});

const notFound = (uri: string) =>
  new JsonRpcFault(RESOURCE_NOT_FOUND, 'Resource not found', { uri: uri.slice(0, 256) });

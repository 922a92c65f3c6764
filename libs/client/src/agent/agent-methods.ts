import type { Answer, CallOptions } from '../paid-call.js';
import type {
  AgentPriceRecord,
  BullionProductList,
  CardSearch,
  CardValuationRequest,
  CardValuationResult,
  CoiVerifyRequest,
  CoiVerifyResult,
  VerifyBullionRequest,
  VerifyBullionResult,
} from '../api-types.js';
import type { Ask } from '../tool/tool-methods.js';

export interface CardSearchQuery {
  /** Free text: `1986 fleer jordan`. */
  readonly q: string;
  readonly limit?: number;
}

/** The paid agent endpoints. */
export const AGENT_PATHS = {
  bullion: '/api/agent/verify-bullion',
  card: '/api/agent/card-valuation',
  certificate: '/partnerCoiVerify',
} as const;

/** Answers for agents that buy them: each with evidence that others can check, and fields that can be shown one by one. */
export interface AgentMethods {
  /**
   * Is this piece what it is said to be, and what is its metal worth: `POST /api/agent/verify-bullion`, paid. INCONCLUSIVE is
   * not charged (`charged: false`).
   */
  verifyBullion(request: VerifyBullionRequest, options?: CallOptions): Promise<Answer<VerifyBullionResult>>;
  /** Products with reference frequencies: `GET /api/agent/bullion/products`, free. */
  bullionProducts(options?: CallOptions): Promise<Answer<BullionProductList>>;
  /**
   * What cards like this one sell for: `POST /api/agent/card-valuation`, paid. Too few sales are not charged
   * (`charged: false`).
   */
  valueCard(request: CardValuationRequest, options?: CallOptions): Promise<Answer<CardValuationResult>>;
  /** Cards of the catalogue by free text: `GET /api/agent/cards`, free. */
  searchCards(query: CardSearchQuery, options?: CallOptions): Promise<Answer<CardSearch>>;
  /** Does this certificate of insurance meet the requirements: `POST /partnerCoiVerify`, paid. */
  verifyCertificate(request: CoiVerifyRequest, options?: CallOptions): Promise<Answer<CoiVerifyResult>>;
  /** What one of them costs, and how it is paid: `GET` on its path, free. */
  agentPrice(agent: keyof typeof AGENT_PATHS, options?: CallOptions): Promise<Answer<AgentPriceRecord>>;
}

const EVIDENCE_FIELDS = { charged: 'boolean', auditProof: 'object', disclosure: 'object' };
const PRICE_FIELDS = { operationId: 'string', priceUsd: 'number', priceSats: 'number' };

/** @param once an Idempotency-Key of its own for each call that somebody remembers */
export function agentMethods(
  ask: Ask,
  once: (isTicketed: boolean) => { idempotencyKey?: string },
): AgentMethods {
  const buy = <T extends object>(
    path: string,
    body: object,
    fields: Readonly<Record<string, string>>,
    options: CallOptions = {},
  ) => {
    const request = { ...once(false), ...options, body };
    return ask<T>('POST', path, request, () => ({ ...EVIDENCE_FIELDS, ...fields }));
  };
  return {
    verifyBullion: (body, options) => buy(AGENT_PATHS.bullion, body, { verdict: 'string' }, options),
    valueCard: (body, options) => buy(AGENT_PATHS.card, body, { confidence: 'string' }, options),
    verifyCertificate: (body, options) =>
      buy(AGENT_PATHS.certificate, body, { compliant: 'string' }, options),
    bullionProducts: options =>
      ask('GET', '/api/agent/bullion/products', { ...options }, () => ({ items: 'object' })),
    searchCards: ({ q, limit }, options) =>
      ask('GET', '/api/agent/cards', { ...options, query: { q, limit } }, () => ({ items: 'object' })),
    agentPrice: (agent, options) => ask('GET', AGENT_PATHS[agent], { ...options }, () => PRICE_FIELDS),
  };
}

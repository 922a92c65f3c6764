import { API_VERSION, GATEWAY_INDEX_VERSION, type GatewayIndex, ROUTES } from '@svc/contracts';
import type { DocumentedApi } from '@svc/edge';
import { CREDIT_PACKS, findPrice, PLANS, usdText } from '@svc/protocols';
import { TOOL_ROUTES } from '../tools/tool-routes.js';

export const SERVICE_NAME = 'Proof, Signal and Payment Gateway API';
export const SERVICE_DESCRIPTION =
  'Pay-per-call compute that carries its own evidence: a proof of the computation where we can give one, of the rules applied, or at least a commitment that cannot be changed later.';

/** The gateway's routes, as its OpenAPI document has them: beside the one of all tools, each tool. */
export const gatewayApi: DocumentedApi = {
  name: SERVICE_NAME,
  description: SERVICE_DESCRIPTION,
  routes: ROUTES,
  alsoDescribed: TOOL_ROUTES,
  docs: { apiReference: '/docs', homepage: '/', llms: '/llms.txt' },
};

/** Every endpoint and plan with its price: the answer of `GET /` to machines. */
export function gatewayIndex(): GatewayIndex {
  return {
    name: SERVICE_NAME,
    version: GATEWAY_INDEX_VERSION,
    apiVersion: API_VERSION,
    description: SERVICE_DESCRIPTION,
    links: {
      reference: '/docs',
      openapi: '/openapi.json',
      health: '/health',
      llms: '/llms.txt',
      x402: '/.well-known/x402',
      challenge: '/v1/x402/challenge',
      mcp: '/mcp',
      tools: '/mcp.json',
      departments: '/departments',
      asyncapi: '/asyncapi.json',
    },
    endpoints: ROUTES.map(({ method, path, operationId, summary, access }) => {
      const price = findPrice(operationId);
      return {
        method,
        path,
        operationId,
        summary,
        access,
        available: true,
        ...(price ? { priceUsd: price.priceUsd, priceSats: price.amountSats } : {}),
      };
    }),
    plans: PLANS.map(plan => ({
      planId: plan.planId,
      name: plan.name,
      priceUsdPerMonth: plan.amountMicroUsdPerMonth === 0 ? '0' : usdText(plan.amountMicroUsdPerMonth),
      requestsPerMonth: plan.requestsPerMonth,
      description: plan.description,
    })),
    creditPacks: CREDIT_PACKS.map(pack => ({
      packId: pack.packId,
      priceUsd: usdText(pack.amountMicroUsd),
      audits: pack.audits,
    })),
  };
}

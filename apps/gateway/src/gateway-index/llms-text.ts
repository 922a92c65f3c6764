import type { GatewayIndex } from '@svc/contracts';

/** `GET /llms.txt`: how to use the service, in the form of https://llmstxt.org. */
export function llmsText(index: GatewayIndex): string {
  const live = index.endpoints.filter(endpoint => endpoint.available);
  const planned = index.endpoints.filter(endpoint => !endpoint.available);
  const line = (endpoint: GatewayIndex['endpoints'][number]) => {
    const price = endpoint.priceUsd ? ` (${endpoint.priceUsd} USD or ${endpoint.priceSats} sats a call)` : '';
    return `- ${endpoint.method} ${endpoint.path}: ${endpoint.summary}${price}`;
  };
  return `# ${index.name}

> ${index.description}

Version ${index.apiVersion}. All bodies are JSON. Errors are RFC 9457 problems with a stable \`code\`.

## How to pay

1. Send the request without a payment. A body that is not empty is validated first; a fault is 400 and costs nothing.
2. The answer is 402 with a challenge for every rail that can settle now; \`rails\` in the body names them.
3. Pay one of them and send the same request again with one payment credential:
   - Lightning, L402: pay \`invoice\`, then \`Authorization: L402 <macaroon>:<preimage>\`.
   - MPP: answer a \`WWW-Authenticate: Payment\` challenge (method \`lightning\` or \`stripe\`) with \`Authorization: Payment <credential>\`.
   - x402: sign what \`PAYMENT-REQUIRED\` asks and send \`PAYMENT-SIGNATURE\` (version 1: \`accepts\` of the body, \`X-PAYMENT\`).
   - Shared payment token: \`Payment-Credential: SPT <token>\` and the challenge back in \`X-402-Challenge\`.
   - Account key: \`X-SVC-KEY\` pays from a plan's requests or from credit, without a challenge.
4. A lost answer costs nothing more: the same payment credential with the same request gets the stored answer for 24 hours. With an account key it is 60 seconds, and 24 hours under one \`Idempotency-Key\`: send the same value for every retry of one purchase.
5. On 503 \`SETTLEMENT_UNKNOWN\` wait \`Retry-After\` and send the same credential again. Never pay again.
6. What was paid and not delivered is credit: \`creditKey\` of the problem, or \`X-SVC-KEY\` of the answer, is a key that spends it.

A card pays 0.50 USD at least; what is left over is credit on that key.
Routes with a quota answer for nothing until the month's requests of the plan, or of your address, are used up: \`RateLimit\` says what is left. Bursts are 429 with \`Retry-After\`.

## In service

${live.map(line).join('\n')}

## Not in service yet

These answer 501 and charge nothing.

${planned.map(line).join('\n')}

## Reference

- [OpenAPI 3.1](/openapi.json)
- [Reference page](/docs)
- [Index as JSON](/)
- [Priced resources for x402](/.well-known/x402)
- [Health, with the payment rails that can settle now](/health)
`;
}

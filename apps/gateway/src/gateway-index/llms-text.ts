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

1. POST the request without a payment. A body that is not empty is validated first; a fault is 400 and costs nothing.
2. The answer is 402 with \`WWW-Authenticate\` challenges (L402 and Payment) and, in the body, \`invoice\`, \`priceSats\`, \`challengeToken\` and \`expiresAt\`.
3. Pay the Lightning invoice and keep the preimage.
4. Send the same request again with \`Authorization: L402 <macaroon>:<preimage>\`.
5. A lost answer costs nothing more: the same credential with the same request gets the stored answer for 24 hours.

## In service

${live.map(line).join('\n')}

## Not in service yet

These answer 501 and charge nothing.

${planned.map(line).join('\n')}

## Reference

- [OpenAPI 3.1](/openapi.json)
- [Reference page](/docs)
- [Index as JSON](/)
`;
}

import type { GatewayIndex } from '@svc/contracts';
import { soldAt } from './index-page.js';
import { toolPrices } from '@svc/edge';

/** `GET /llms.txt`: how to use the service, in the form of https://llmstxt.org. */
export function llmsText(index: GatewayIndex): string {
  const line = (endpoint: GatewayIndex['endpoints'][number]) => {
    const unpriced = endpoint.access === 'paid' ? ` (the price of its ${soldAt(endpoint)})` : '';
    const price = endpoint.priceUsd
      ? ` (${endpoint.priceUsd} USD or ${endpoint.priceSats} sats a call)`
      : unpriced;
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
   - MPP: answer a \`WWW-Authenticate: Payment\` challenge (method \`lightning\`, \`stripe\` or \`evm\`) with \`Authorization: Payment <credential>\`, or beside a login with \`Payment-Authorization\`.
   - x402: sign what \`PAYMENT-REQUIRED\` asks and send \`PAYMENT-SIGNATURE\` (version 1: \`accepts\` of the body, \`X-PAYMENT\`).
   - Shared payment token: \`Payment-Credential: SPT <token>\` and the challenge back in \`X-402-Challenge\`.
   - Account key: \`X-SVC-KEY\` pays from a plan's requests or from credit, without a challenge.
4. A lost answer costs nothing more: the same payment credential with the same request gets the stored answer for 24 hours. With an account key it is 60 seconds, and 24 hours under one \`Idempotency-Key\`: send the same value for every retry of one purchase.
5. On 503 \`SETTLEMENT_UNKNOWN\` wait \`Retry-After\` and send the same credential again. Never pay again.
6. Every problem says \`charged\` (\`no\`, \`yes\`, \`unknown\`: then ask again with the same credential) and \`retry\` (\`same\`, \`changed\`, \`pay\`, \`no\`).
7. What was paid and not delivered is credit: \`creditKey\` of the problem, or \`X-SVC-KEY\` of the answer, is a key that spends it.

A card pays 0.50 USD at least; what is left over is credit on that key.
Routes with a quota answer for nothing until the month's requests of the plan, or of your address, are used up: \`RateLimit\` says what is left. Bursts are 429 with \`Retry-After\`.

${selling()}

## Routes

${index.endpoints.map(line).join('\n')}

## Reference

- [OpenAPI 3.1](/openapi.json)
- [Reference page](/docs)
- [Index as JSON](/)
- [Tool catalogue](/mcp.json)
- [Priced resources for x402](/.well-known/x402)
- [Health, with the payment rails that can settle now](/health)
`;
}

/** What is sold beside the routes with a price of their own. */
const selling = () => `## Tools

Ten tools, in three ways, at one price: [the catalogue](/mcp.json) has their inputs and outputs.

- MCP: \`/mcp\`, Streamable HTTP, stateless. List the tools, call them, pay by either binding (\`_meta\`), or send \`X-SVC-KEY\` with the HTTP requests.
- HTTP: \`POST /v1/tools/NAME\` with the inputs as body, paid as any priced route.
- As a saga, by a ticket: see below. m2m_license_contract runs as one in every way.

${tools()}

## Departments

A desk takes a task, bills it as the capability beneath it, and works on it: wait for it, follow it, cancel it, or have its end posted to an address of yours. \`GET /departments\` lists the desks; \`POST /departments/{deptId}\` gives one a task.

## Tools by ticket

A tool of the catalogue runs as a saga of four steps: wholly or not at all, with a write-ahead log that can be verified.

1. \`GET /v1/x402/challenge?tool=NAME\` is always 402, with everything needed to pay. Do not send the payment here.
2. \`POST /v1/x402/verify\` with the payment credential, as above, answers with a \`ticket\`: it runs that tool once, within 15 minutes. The same credential with the same body brings the same ticket again.
3. \`POST /v1/x402/execute\` with \`X-Execution-Ticket\` and the inputs of the tool runs it. Or leave out steps 1 and 2: send the inputs without a ticket, with \`?tool=NAME\`, and pay the 402 in one call.
4. 409 \`TICKET_USED\` names the saga that the ticket began: \`GET /v1/x402/sagas/{sagaId}\` with the ticket has the answer. On 202 ask there again; without a ticket, send the same request with the same payment again.
5. A saga that fails gives its amount back as credit. Use one \`Idempotency-Key\` for every retry of one purchase.`;

const tools = () =>
  toolPrices()
    .map(({ tool, priceUsd, amountSats }) => `- ${tool}: ${priceUsd} USD or ${amountSats} sats`)
    .join('\n');

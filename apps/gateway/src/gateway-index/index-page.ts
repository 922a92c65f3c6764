import type { GatewayIndex } from '@svc/contracts';

/** The answer of `GET /` to a browser: the same index, to read. */
export function indexPage(index: GatewayIndex): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(index.name)}</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 3rem auto; padding: 0 1rem; color: #1a1a1a; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid #ddd; vertical-align: top; }
code { font: .9em ui-monospace, monospace; }
</style>
</head>
<body>
<h1>${text(index.name)}</h1>
<p>${text(index.description)}</p>
<p>API ${text(index.apiVersion)}. <a href="/docs">API reference</a> · <a href="/openapi.json">OpenAPI</a> · <a href="/health">Health</a> · <a href="/llms.txt">llms.txt</a> · <a href="/mcp.json">Tools</a></p>
<p>Agents find the same over the Model Context Protocol, at <code>/mcp</code>.</p>
<h2>Routes</h2>
<table>
<tr><th>Route</th><th>What it does</th><th>Price of a call</th></tr>
${index.endpoints.map(row).join('\n')}
</table>
</body>
</html>
`;
}

function row(endpoint: GatewayIndex['endpoints'][number]): string {
  const unpriced = endpoint.access === 'paid' ? `that of its ${soldAt(endpoint)}` : 'free';
  const price = endpoint.priceUsd ? `${endpoint.priceUsd} USD or ${endpoint.priceSats} sats` : unpriced;
  return `<tr><td><code>${endpoint.method} ${text(endpoint.path)}</code></td><td>${text(endpoint.summary)}</td><td>${price}</td></tr>`;
}

/** What has the price where a route has none of its own. */
export const soldAt = ({ path }: Pick<GatewayIndex['endpoints'][number], 'path'>): string =>
  path.startsWith('/departments') ? 'capability' : 'tool';

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const text = (value: string) => value.replace(/[&<>"]/g, character => ENTITIES[character]);

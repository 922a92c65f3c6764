/** Documents of a gateway that have schemas in them. */
const DOCUMENTS = ['/openapi.json', '/mcp.json', '/asyncapi.json', '/departments'] as const;

/** Every pattern of every schema that is published, with the first place that has it. */
export async function publishedPatterns(address: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const read = async (place: string, response: Response) => {
    if (response.status !== 200) throw new Error(`${place} answered ${response.status}`);
    collect(await response.json(), place, found);
  };
  for (const path of DOCUMENTS)
    await read(path, await fetch(address + path, { headers: { accept: 'application/json' } }));
  const tools = await fetch(`${address}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  await read('tools/list', tools);
  return found;
}

function collect(value: unknown, place: string, found: Map<string, string>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    const patterns =
      name === 'pattern' && typeof member === 'string'
        ? [member]
        : name === 'patternProperties'
          ? Object.keys(member as object)
          : [];
    for (const pattern of patterns) if (!found.has(pattern)) found.set(pattern, place);
    collect(member, `${place}/${name}`, found);
  }
}

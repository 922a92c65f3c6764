/** A node's JSON-RPC interface refused a call. */
export class RpcError extends Error {
  constructor(method: string, reason: string) {
    super(`${method}: ${reason}`);
    this.name = 'RpcError';
  }
}

/** Calls of a node over HTTP (Ethereum JSON-RPC, and anvil's own methods). */
export class JsonRpc {
  private id = 0;

  constructor(private readonly url: string) {}

  /** @throws RpcError for a refusal; TypeError where the node is away */
  async call<T>(method: string, ...params: unknown[]): Promise<T> {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++this.id, method, params }),
    });
    const { result, error } = (await response.json()) as { result?: T; error?: { message: string } };
    if (error) throw new RpcError(method, error.message);
    return result as T;
  }
}

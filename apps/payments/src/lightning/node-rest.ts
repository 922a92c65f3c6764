import { request as httpRequest } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';

const TIMEOUT_MS = 5_000;
const ANSWER_BYTES_MAX = 256 * 1024;

export interface NodeRestOptions {
  /** `https://host:port`; plain http only to this machine. */
  readonly url: string;
  /** Sent with each request: the node's credential. */
  readonly headers: Readonly<Record<string, string>>;
  /** PEM of the node's self-signed certificate; the system's authorities otherwise. */
  readonly tlsCertificate?: string;
}

export interface NodeAnswer {
  readonly status: number;
  readonly json: Record<string, unknown>;
}

/** A Lightning node's REST interface: JSON over TLS, within a time and a size. Redirects are not followed. */
export class NodeRest {
  private readonly agent: Agent | undefined;

  constructor(private readonly options: NodeRestOptions) {
    if (options.url.startsWith('https:')) {
      this.agent = new Agent({ keepAlive: true, ca: options.tlsCertificate });
    }
  }

  /**
   * Of an answer of several lines, as streams have, the last one counts.
   * @throws Error whose message says what the node did, for the log
   */
  exchange(
    method: 'GET' | 'POST',
    path: string,
    body?: unknown,
    timeoutMs = TIMEOUT_MS,
  ): Promise<NodeAnswer> {
    const url = new URL(path, this.options.url);
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const headers = { ...this.options.headers, 'Content-Type': 'application/json' };
    return new Promise((resolve, reject) => {
      const request = send(url, { method, headers, agent: this.agent, timeout: timeoutMs }, response => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > ANSWER_BYTES_MAX)
            response.destroy(new Error(`sent more than ${ANSWER_BYTES_MAX} bytes`));
          else chunks.push(chunk);
        });
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8').trimEnd();
          const json = parseObject(text) ?? parseObject(text.slice(text.lastIndexOf('\n') + 1));
          if (json) resolve({ status: response.statusCode ?? 0, json });
          else reject(new Error(`answered ${response.statusCode} with no JSON object`));
        });
      });
      request.on('timeout', () => request.destroy(new Error(`did not answer within ${timeoutMs} ms`)));
      request.on('error', reject);
      request.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  close(): void {
    this.agent?.destroy();
  }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

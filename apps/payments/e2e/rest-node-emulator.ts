import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** Self-signed for 127.0.0.1, as LND makes its own; a key of the tests and of nothing else. */
export const TLS_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBVDCB/KADAgECAgEBMAoGCCqGSM49BAMCMBsxGTAXBgNVBAMMEGxuZCBvZiB0
aGUgdGVzdHMwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBsxGTAX
BgNVBAMMEGxuZCBvZiB0aGUgdGVzdHMwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
AASXby88MGEvevugpz1PzQ4CsvhWALrwKmGQ1h1jGtg9NHNUWZJQ1C2h6iUE7th9
kWiQUisZ0urSL4MwZLu3vx9Goy8wLTAaBgNVHREEEzARhwR/AAABgglsb2NhbGhv
c3QwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiAuAYwoiHWCSOd6
JI2ZZjZ2BTBFcQm6JcRsLuW4+2xb8QIgZ1nX4921Tq8rDBarlO+rd7+sWIsOzXOC
hMZMd+DYT+I=
-----END CERTIFICATE-----
`;
export const TLS_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgo0MjE/xU2UMg1HVN
Uhg254pwDIs9lzbG4fdOEctI8vOhRANCAASXby88MGEvevugpz1PzQ4CsvhWALrw
KmGQ1h1jGtg9NHNUWZJQ1C2h6iUE7th9kWiQUisZ0urSL4MwZLu3vx9G
-----END PRIVATE KEY-----
`;

/** A Lightning node's REST interface over TLS: what is common to the emulators of those that are used. */
export abstract class RestNodeEmulator {
  readonly requests: { method: string; path: string; body: unknown }[] = [];
  /** Overrides the next answers, to play a node that misbehaves. */
  misbehave: ((response: ServerResponse) => void) | undefined;
  private readonly server = createServer({ cert: TLS_CERTIFICATE, key: TLS_KEY }, (request, response) => {
    void this.receive(request, response);
  });

  async listen(): Promise<string> {
    await new Promise<void>(resolve => this.server.listen(0, '127.0.0.1', resolve));
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }

  /** @param body undefined where there was none */
  protected abstract answer(
    request: IncomingMessage,
    path: string,
    body: unknown,
    response: ServerResponse,
  ): void;

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const { method = '', url: path = '' } = request;
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    this.requests.push({ method, path, body });
    if (this.misbehave) return this.misbehave(response);
    this.answer(request, path, body, response);
  }
}

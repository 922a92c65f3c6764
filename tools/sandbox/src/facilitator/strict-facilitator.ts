import { x402Facilitator } from '@x402/core/facilitator';
import type { Network, PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import { ExactEvmSchemeV1 } from '@x402/evm/exact/v1/facilitator';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createWalletClient, defineChain, http, publicActions } from 'viem';
import { nonceManager, privateKeyToAccount } from 'viem/accounts';
import type { LocalChain } from '../chain/local-chain.js';
import { type FacilitatorQuestion, HEADER_BYTES_MAX, LEAST_AMOUNT, strictFaultOf } from './strict-rules.js';

/** What version 1 calls the chain. */
const V1_NAME = 'base-sepolia' as Network;
const BODY_BYTES_MAX = 65_536;
const POLLING_MS = 50;

export interface StrictFacilitatorOptions {
  /** On which it settles, from the account of its key. */
  readonly chain: Pick<LocalChain, 'rpcUrl' | 'chainId' | 'network' | 'facilitatorKey'>;
  /** Units that it settles at least; {@link LEAST_AMOUNT} by default. */
  readonly leastAmount?: bigint;
  /** Told why it refuses, one line each. */
  readonly log?: (line: string) => void;
}

/** A facilitator of others on this machine, by the interface of x402: `GET /supported`, `POST /verify`, `POST /settle`. */
export interface StrictFacilitator {
  /** `http://127.0.0.1:…` */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts a facilitator that refuses what the strictest public ones refuse, and settles the rest by the public library on the local
 * chain. A server that is paid over it is paid over any of them.
 */
export async function startStrictFacilitator(options: StrictFacilitatorOptions): Promise<StrictFacilitator> {
  const { leastAmount = LEAST_AMOUNT, log } = options;
  const library = libraryOn(options.chain);
  const answerTo = async (request: IncomingMessage): Promise<[status: number, answer: unknown]> => {
    if (request.url === '/supported') return [200, library.getSupported()];
    if (request.url !== '/verify' && request.url !== '/settle') return [404, { error: 'no such route' }];
    const question = questionOf(await textOf(request));
    if (!question)
      return [400, refusal(request.url, 'invalid_payload', 'the body must be the JSON of a question')];
    const fault = strictFaultOf(question, leastAmount);
    if (fault) {
      log?.(`facilitator: refused, ${fault.message}`);
      return [400, refusal(request.url, fault.reason, fault.message)];
    }
    const payload = question.paymentPayload as unknown as PaymentPayload;
    const requirements = question.paymentRequirements as unknown as PaymentRequirements;
    if (request.url === '/verify') return [200, await library.verify(payload, requirements)];
    return [200, await library.settle(payload, requirements)];
  };
  const server = createServer({ maxHeaderSize: HEADER_BYTES_MAX }, (request, response) => {
    answerTo(request).then(
      ([status, answer]) => send(response, status, answer),
      (error: unknown) => send(response, 500, { error: (error as Error).message }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function libraryOn({ rpcUrl, chainId, network, facilitatorKey }: StrictFacilitatorOptions['chain']) {
  // Without it, two settlements at once take one nonce, and one of them fails.
  const account = privateKeyToAccount(facilitatorKey, { nonceManager });
  const chain = defineChain({
    ...{ id: chainId, name: network, nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 } },
    rpcUrls: { default: { http: [rpcUrl] } },
  });
  const wallet = createWalletClient({
    ...{ account, chain, transport: http(rpcUrl), pollingInterval: POLLING_MS },
  }).extend(publicActions);
  const signer = toFacilitatorEvmSigner({ ...wallet, address: account.address } as never);
  return new x402Facilitator()
    .register(network, new ExactEvmScheme(signer))
    .registerV1(V1_NAME, new ExactEvmSchemeV1(signer));
}

/** The answer of a route that refuses. */
const refusal = (route: string, reason: string, message: string) =>
  route === '/verify'
    ? { isValid: false, invalidReason: reason, invalidMessage: message }
    : { success: false, errorReason: reason, errorMessage: message, transaction: '', network: '' };

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) return '';
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function questionOf(text: string): FacilitatorQuestion | undefined {
  try {
    const { paymentPayload, paymentRequirements } = JSON.parse(text) as Partial<FacilitatorQuestion>;
    const areThere = [paymentPayload, paymentRequirements].every(part => typeof part === 'object' && part);
    return areThere ? ({ paymentPayload, paymentRequirements } as FacilitatorQuestion) : undefined;
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, status: number, answer: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}

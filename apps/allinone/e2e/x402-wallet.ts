import { SANDBOX_USDC_ABI, type LocalChain } from '@svc/sandbox';
import { ExactEvmScheme } from '@x402/evm';
import { ExactEvmSchemeV1 } from '@x402/evm/exact/v1/client';
import { wrapFetchWithPaymentFromConfig } from '@x402/fetch';
import { createWalletClient, http, type PublicClient, publicActions, toHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { baseSepolia } from 'viem/chains';
import { until } from './processes.js';

type Address = `0x${string}`;

/** What the tests do on the chain beside paying: look, mint, cancel, send, and move its clock. */
export interface ChainActor {
  readonly client: Pick<PublicClient, 'getTransactionReceipt'> & {
    readonly account: { readonly address: Address };
  };
  balanceOf(address: Address): Promise<bigint>;
  mint(to: Address, value: bigint): Promise<Address>;
  /** Carries an authorization out, as anybody may who sees it. */
  submit(authorized: Authorized): Promise<Address>;
  cancel(payer: Wallet, nonce: Address): Promise<Address>;
  /** Whether an authorization was used, as the token says. */
  isUsed(from: Address, nonce: Address): Promise<boolean>;
  call(method: string, ...params: unknown[]): Promise<unknown>;
}

export function chainActor(chain: LocalChain): ChainActor {
  const account = privateKeyToAccount(chain.facilitatorKey);
  const client = createWalletClient({
    account,
    chain: baseSepolia,
    transport: http(chain.rpcUrl),
    pollingInterval: 20,
  }).extend(publicActions);
  const token = { address: chain.asset, abi: SANDBOX_USDC_ABI } as const;
  const mined = async (hash: Address) => {
    const receipt = await client.waitForTransactionReceipt({ hash });
    if (receipt.status !== 'success') throw new Error(`${hash} was reverted`);
    return hash;
  };
  return {
    client,
    balanceOf: (address: Address) =>
      client.readContract({ ...token, functionName: 'balanceOf', args: [address] }),
    mint: async (to: Address, value: bigint) =>
      mined(await client.writeContract({ ...token, functionName: 'mint', args: [to, value] })),
    submit: async ({ authorization: a, signature }: Authorized) => {
      const args = [
        a.from,
        a.to,
        BigInt(a.value),
        BigInt(a.validAfter),
        BigInt(a.validBefore),
        a.nonce,
        signature,
      ] as const;
      return mined(await client.writeContract({ ...token, functionName: 'transferWithAuthorization', args }));
    },
    cancel: async (payer: Wallet, nonce: Address) => {
      const signature = await payer.signTypedData({
        domain: { name: 'USDC', version: '2', chainId: chain.chainId, verifyingContract: chain.asset },
        types: {
          CancelAuthorization: [
            { name: 'authorizer', type: 'address' },
            { name: 'nonce', type: 'bytes32' },
          ],
        },
        primaryType: 'CancelAuthorization',
        message: { authorizer: payer.address, nonce },
      });
      const args = [payer.address, nonce, signature] as const;
      return mined(await client.writeContract({ ...token, functionName: 'cancelAuthorization', args }));
    },
    isUsed: (from: Address, nonce: Address) =>
      client.readContract({ ...token, functionName: 'authorizationState', args: [from, nonce] }),
    call: (method: string, ...params: unknown[]) =>
      client.request({ method, params } as unknown as Parameters<typeof client.request>[0]),
  };
}

export interface Authorized {
  readonly authorization: {
    readonly from: Address;
    readonly to: Address;
    readonly value: string;
    readonly validAfter: string;
    readonly validBefore: string;
    readonly nonce: Address;
  };
  readonly signature: Address;
}

/** A wallet of its own for a test, with that many micro-USD. */
export async function fundedWallet(chain: LocalChain, microUsd = 1_000_000n) {
  const wallet = privateKeyToAccount(generatePrivateKey());
  if (microUsd > 0n) await chainActor(chain).mint(wallet.address, microUsd);
  return wallet;
}

type Wallet = ReturnType<typeof privateKeyToAccount>;

/** The public client of version 2 with its default settings, over a fetch of the test's choice. */
export const fetchV2 = (wallet: Wallet, over: typeof fetch = fetch) =>
  wrapFetchWithPaymentFromConfig(over, {
    schemes: [{ network: 'eip155:*', client: new ExactEvmScheme(wallet) }],
  });

/** A payment that the public client has signed for a priced route, and that was kept back. */
export async function signedPayment(wallet: Wallet, url: string): Promise<string> {
  let payment = '';
  const keep = (async (input, init) => {
    const request = new Request(input, init);
    payment = request.headers.get('PAYMENT-SIGNATURE') ?? '';
    return payment === '' ? fetch(request) : new Response('{}');
  }) as typeof fetch;
  await until(
    async () => {
      await fetchV2(wallet, keep)(url, { method: 'POST' }).catch(() => undefined);
      return payment !== '';
    },
    () => 'an offer of x402',
  );
  return payment;
}

/** The public client of version 1. */
export const fetchV1 = (wallet: Wallet, over: typeof fetch = fetch) =>
  wrapFetchWithPaymentFromConfig(over, {
    // The name of version 1; the types know those of version 2 alone.
    schemes: [
      {
        network: 'base-sepolia' as `${string}:${string}`,
        client: new ExactEvmSchemeV1(wallet),
        x402Version: 1,
      },
    ],
  });

/** Payload of `PAYMENT-SIGNATURE` or `X-PAYMENT`, read. */
export const decodedPayment = (value: string) =>
  JSON.parse(Buffer.from(value, 'base64').toString('utf8')) as { payload: Authorized };

export const encodedPayment = (payment: object) => Buffer.from(JSON.stringify(payment)).toString('base64');

export const freshNonce = () => toHex(crypto.getRandomValues(new Uint8Array(32)));

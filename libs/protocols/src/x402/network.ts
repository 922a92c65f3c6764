/** A token that x402's scheme `exact` can move by EIP-3009, with six decimals: one unit is one micro-USD. */
export interface StablecoinAsset {
  /** Address of the token's contract. */
  readonly address: string;
  /** Name and version of its EIP-712 domain. */
  readonly name: string;
  readonly version: string;
}

/** A chain as the two versions of x402 name it, and its USDC. */
export interface X402Network {
  /** CAIP-2, `eip155:84532`. */
  readonly caip2: `eip155:${number}`;
  /** Name in version 1, where it has one. */
  readonly v1Name?: string;
  readonly usdc: StablecoinAsset;
}

const network = (
  chainId: number,
  v1Name: string | undefined,
  address: string,
  name = 'USD Coin',
): X402Network => ({ caip2: `eip155:${chainId}`, v1Name, usdc: { address, name, version: '2' } });

/** Chains that can be configured; the addresses are those that Circle publishes. */
export const X402_NETWORKS: readonly X402Network[] = [
  network(8453, 'base', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'),
  network(84532, 'base-sepolia', '0x036CbD53842c5426634e7929541eC2318f3dCF7e', 'USDC'),
  network(1, 'ethereum', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'),
  network(137, 'polygon', '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'),
  network(43114, 'avalanche', '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E'),
  network(143, 'monad', '0x754704Bc059F8C67012fEd69BC8A327a5aafb603', 'USDC'),
  network(42161, undefined, '0xaf88d065e77c8cC2239327C5EDb3A432268e5831'),
  network(421614, undefined, '0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d'),
];

/**
 * The chain of a name of either version; `undefined` for one that is not known here.
 *
 * @example
 * findX402Network('base-sepolia')?.caip2; // 'eip155:84532'
 */
export function findX402Network(name: string): X402Network | undefined {
  return X402_NETWORKS.find(({ caip2, v1Name }) => caip2 === name || v1Name === name);
}

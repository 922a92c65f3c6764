import type { TransferAuthorization } from '@svc/protocols';
import { LRUCache } from 'lru-cache';
import {
  type Address,
  createPublicClient,
  type Hex,
  hexToBigInt,
  hexToNumber,
  http,
  isAddressEqual,
  isErc6492Signature,
  type Log,
  numberToHex,
  pad,
  parseErc6492Signature,
  parseEventLogs,
  type PublicClient,
  recoverTypedDataAddress,
  size,
  sliceHex,
  toEventSelector,
} from 'viem';

const RPC_TIMEOUT_MS = 5_000;
/** Blocks of one look for an event: public nodes refuse longer ranges. */
const BLOCKS_A_LOOK = 2_000n;
const LOOKS_MAX = 10;
/** A block may come with a time that is a little behind. */
const CLOCK_MARGIN_SECONDS = 30n;

const TOKEN_ABI = [
  {
    type: 'function',
    name: 'authorizationState',
    stateMutability: 'view',
    inputs: [
      { name: 'authorizer', type: 'address' },
      { name: 'nonce', type: 'bytes32' },
    ],
    outputs: [{ name: '', type: 'bool' }],
  },
  {
    type: 'function',
    name: 'balanceOf',
    stateMutability: 'view',
    inputs: [{ name: 'account', type: 'address' }],
    outputs: [{ name: '', type: 'uint256' }],
  },
  {
    type: 'event',
    name: 'AuthorizationUsed',
    inputs: [
      { name: 'authorizer', type: 'address', indexed: true },
      { name: 'nonce', type: 'bytes32', indexed: true },
    ],
  },
  {
    type: 'event',
    name: 'Transfer',
    inputs: [
      { name: 'from', type: 'address', indexed: true },
      { name: 'to', type: 'address', indexed: true },
      { name: 'value', type: 'uint256', indexed: false },
    ],
  },
] as const;

/** Topics of the two events after which an authorization can be used no more. */
const ENDS_AUTHORIZATION: Hex[] = [
  toEventSelector('AuthorizationUsed(address,bytes32)'),
  toEventSelector('AuthorizationCanceled(address,bytes32)'),
];

/** Types of EIP-3009 for EIP-712. */
export const AUTHORIZATION_TYPES = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;

/** The token that is taken, and where. */
export interface EvmToken {
  readonly chainId: number;
  readonly address: string;
  /** Name and version of its EIP-712 domain. */
  readonly name: string;
  readonly version: string;
}

/** Half the order of secp256k1. */
const S_MAX = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
const V_TAKEN = new Set([27, 28]);

/**
 * Whether a key's signature is spelled as the token takes it (`ECRecover` of USDC): r, s and v in 65 bytes, the smaller of the two s
 * that sign the same, and v as 27 or 28. Others recover to the same key and never settle: neither overload of the token's
 * transferWithAuthorization takes them, nor the compact 64 bytes of EIP-2098.
 */
function isSpelledForToken(signature: Hex): boolean {
  if (size(signature) !== 65) return false;
  return (
    hexToBigInt(sliceHex(signature, 32, 64)) <= S_MAX && V_TAKEN.has(hexToNumber(sliceHex(signature, 64)))
  );
}

/** Payers of which it is known whether they are contracts, and for how long, milliseconds. */
const [CODES_MAX, CODE_MS] = [4_096, 2_000];

function isReadable(signature: Hex): boolean {
  try {
    parseErc6492Signature(signature);
    return true;
  } catch {
    return false;
  }
}

/** What became of an authorization, as the chain knows it. */
export type AuthorizationFate =
  /** Its amount went where it was to go. */
  | { readonly fate: 'transferred'; readonly transaction: Hex }
  /** Its payer cancelled it. */
  | { readonly fate: 'cancelled' }
  /** It was used, and no trace of how is found: long ago, or a moment ago on a node that is behind. */
  | { readonly fate: 'untraced' }
  /** It was not used; whether it still will be is open. */
  | { readonly fate: 'open' }
  /** It was not used, and its time is over: it never will be. */
  | { readonly fate: 'over' };

/** Reads a chain over a node's JSON-RPC. Each method throws where the node cannot be asked. */
export class EvmChain {
  private readonly client: PublicClient;
  private readonly codes = new LRUCache<string, string>({ max: CODES_MAX, ttl: CODE_MS });

  constructor(
    rpcUrl: string,
    readonly token: EvmToken,
  ) {
    this.client = createPublicClient({ transport: rpcTransport(rpcUrl) });
  }

  /** Whether it is the chain that is meant, and the token lies on it. */
  async isUsable(): Promise<boolean> {
    const [chainId, code] = await Promise.all([
      this.client.getChainId(),
      this.client.getCode({ address: this.token.address as Address }),
    ]);
    return chainId === this.token.chainId && code !== undefined && code !== '0x';
  }

  /**
   * Whether the authorization's signature is that of its payer's key, as the token takes it. A contract wallet's never is, and a
   * wallet may take what the token does not: ask the chain.
   */
  async isSignedByKey(authorization: TransferAuthorization, signature: string): Promise<boolean> {
    if (!isSpelledForToken(signature as Hex)) return false;
    const { name, version, chainId, address } = this.token;
    try {
      const signer = await recoverTypedDataAddress({
        domain: { name, version, chainId, verifyingContract: address as Address },
        types: AUTHORIZATION_TYPES,
        primaryType: 'TransferWithAuthorization',
        message: {
          from: authorization.from as Address,
          to: authorization.to as Address,
          value: BigInt(authorization.value),
          validAfter: BigInt(authorization.validAfter),
          validBefore: BigInt(authorization.validBefore),
          nonce: authorization.nonce as Hex,
        },
        signature: signature as Hex,
      });
      return isAddressEqual(signer, authorization.from as Address);
    } catch {
      // A point that is not on the curve.
      return false;
    }
  }

  /**
   * Whether a signature that is not of the payer's key may be its wallet's: the payer is a contract, or the signature says how
   * to make it one (EIP-6492) in a form that can be read.
   */
  async canBeWallets({ from }: TransferAuthorization, signature: string): Promise<boolean> {
    if (isErc6492Signature(signature as Hex)) return isReadable(signature as Hex);
    let code = this.codes.get(from);
    if (code === undefined) {
      code = (await this.client.getCode({ address: from as Address })) ?? '0x';
      this.codes.set(from, code === '0x' ? code : 'some');
    }
    return code !== '0x';
  }

  /** Whether an authorization was used, or cancelled. */
  isUsed({ from, nonce }: TransferAuthorization): Promise<boolean> {
    return this.client.readContract({
      address: this.token.address as Address,
      abi: TOKEN_ABI,
      functionName: 'authorizationState',
      args: [from as Address, nonce as Hex],
    });
  }

  /** Whether its payer has the amount now. */
  async hasFunds({ from, value }: TransferAuthorization): Promise<boolean> {
    const balance = await this.client.readContract({
      address: this.token.address as Address,
      abi: TOKEN_ABI,
      functionName: 'balanceOf',
      args: [from as Address],
    });
    return balance >= BigInt(value);
  }

  /** Looks an authorization up: its state, and the transaction that used it. */
  async fateOf(authorization: TransferAuthorization): Promise<AuthorizationFate> {
    const [used, newest] = await Promise.all([
      this.isUsed(authorization),
      this.client.getBlock({ blockTag: 'latest' }),
    ]);
    if (used) return this.trace(authorization, newest.number);
    const over = newest.timestamp >= BigInt(authorization.validBefore) + CLOCK_MARGIN_SECONDS;
    return { fate: over ? 'over' : 'open' };
  }

  /** Backwards from the newest block, as far as the authorization can have been used, and as a node can be asked. */
  private async trace(authorization: TransferAuthorization, newest: bigint): Promise<AuthorizationFate> {
    const { from, nonce, validAfter } = authorization;
    for (let toBlock = newest, look = 0; toBlock >= 0n && look < LOOKS_MAX; look++) {
      const fromBlock = toBlock >= BLOCKS_A_LOOK ? toBlock - BLOCKS_A_LOOK + 1n : 0n;
      const [found] = await this.client.request({
        method: 'eth_getLogs',
        params: [
          {
            address: this.token.address as Address,
            topics: [ENDS_AUTHORIZATION, pad(from as Hex, { size: 32 }), nonce as Hex],
            fromBlock: numberToHex(fromBlock),
            toBlock: numberToHex(toBlock),
          },
        ],
      });
      if (found?.transactionHash) return this.fateBy(authorization, found.transactionHash);
      const { timestamp } = await this.client.getBlock({ blockNumber: fromBlock });
      if (timestamp <= BigInt(validAfter)) break;
      toBlock = fromBlock - 1n;
    }
    return { fate: 'untraced' };
  }

  private async fateBy(authorization: TransferAuthorization, hash: Hex): Promise<AuthorizationFate> {
    const receipt = await this.client.getTransactionReceipt({ hash });
    const paid = receipt.status === 'success' && holdsTransfer(receipt.logs, authorization, this.token);
    return paid ? { fate: 'transferred', transaction: hash } : { fate: 'cancelled' };
  }
}

/** Whether a transaction's events say that this authorization was used, and its amount moved by it. */
function holdsTransfer(logs: Log[], authorization: TransferAuthorization, token: EvmToken): boolean {
  const ofToken = logs.filter(log => isAddressEqual(log.address, token.address as Address));
  const used = parseEventLogs({ abi: TOKEN_ABI, eventName: 'AuthorizationUsed', logs: ofToken }).some(
    ({ args }) =>
      isAddressEqual(args.authorizer, authorization.from as Address) &&
      args.nonce.toLowerCase() === authorization.nonce.toLowerCase(),
  );
  const moved = parseEventLogs({ abi: TOKEN_ABI, eventName: 'Transfer', logs: ofToken }).some(
    ({ args }) =>
      isAddressEqual(args.from, authorization.from as Address) &&
      isAddressEqual(args.to, authorization.to as Address) &&
      args.value === BigInt(authorization.value),
  );
  return used && moved;
}

/** A node that hangs is given up, and one that redirects is not followed. */
export function rpcTransport(rpcUrl: string) {
  return http(rpcUrl, { timeout: RPC_TIMEOUT_MS, retryCount: 1, fetchOptions: { redirect: 'error' } });
}

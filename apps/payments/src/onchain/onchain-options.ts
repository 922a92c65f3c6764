import type { JwsSigner, X402Terms } from '@svc/protocols';
import type { EvmChain } from './evm-chain.js';
import type { Facilitator } from './facilitator.js';
import type { RefundWallet } from './refund-wallet.js';

/** Where x402 payments go, by whom they are settled, and what pays refunds of them. */
export interface OnchainBackend {
  readonly facilitator: Facilitator;
  /** Pays refunds out; none where none is configured. */
  readonly wallet?: Pick<RefundWallet, 'address' | 'sign'>;
  readonly chain: Pick<
    EvmChain,
    'isUsable' | 'isSignedByKey' | 'canBeWallets' | 'isUsed' | 'hasFunds' | 'fateOf'
  >;
}

export interface OnchainOptions {
  /** The offer of every price; the amount is the price's. */
  readonly terms: Omit<X402Terms, 'amountMicroUsd' | 'maxTimeoutSeconds'>;
  /** Of the challenges of MPP. */
  readonly challengeKey: Uint8Array;
  readonly sandbox: boolean;
  /** The least that the facilitator settles, micro-USD: what costs less is not offered here. Default 0. */
  readonly leastMicroUsd?: number;
  /** Where the public reaches the service, `https://svc.example`: facilitators are told what they settle for. */
  readonly origin?: string;
  /** Signs its offers, at our own origin; without it they go unsigned. */
  readonly offers?: { readonly origin: string; signer(nowMs: number): JwsSigner | undefined };
  /** Loads what it needs, when the rail opens: a process without this rail does not pay for it. */
  readonly connect: () => Promise<OnchainBackend>;
  readonly checkMs?: number;
  /** The most that is refunded in a day (UTC), micro-USD; absent where no wallet for refunds is configured. */
  readonly refundDailyMicroUsd?: number;
  /** Between two questions whether it can settle. */
  readonly probeEveryMs?: number;
}

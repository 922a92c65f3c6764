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

import type { TransferAuthorization } from '@svc/protocols';
import type { Address, Hex } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { AUTHORIZATION_TYPES, type EvmToken } from './evm-chain.js';

/** The wallet that refunds are paid out of. It signs transfers and sends none: who settles payments carries them out, and pays the gas. */
export class RefundWallet {
  private readonly account: PrivateKeyAccount;

  constructor(
    privateKey: string,
    private readonly token: EvmToken,
  ) {
    this.account = privateKeyToAccount(privateKey as Hex);
  }

  get address(): string {
    return this.account.address;
  }

  /** The signature of a transfer of dollars out of this wallet (EIP-3009). */
  sign({ from, to, value, validAfter, validBefore, nonce }: TransferAuthorization): Promise<string> {
    const { name, version, chainId, address } = this.token;
    return this.account.signTypedData({
      domain: { name, version, chainId, verifyingContract: address as Address },
      types: AUTHORIZATION_TYPES,
      primaryType: 'TransferWithAuthorization',
      message: {
        ...{ from: from as Address, to: to as Address, nonce: nonce as Hex },
        ...{ value: BigInt(value), validAfter: BigInt(validAfter), validBefore: BigInt(validBefore) },
      },
    });
  }
}

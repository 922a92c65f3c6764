import type { FacilitatorRequest } from '@svc/protocols';
import { x402Facilitator } from '@x402/core/facilitator';
import type { Network, PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import { ExactEvmSchemeV1 } from '@x402/evm/exact/v1/facilitator';
import {
  type Address,
  createWalletClient,
  defineChain,
  type Hex,
  parseErc6492Signature,
  parseSignature,
  publicActions,
  size,
  type WriteContractParameters,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { type EvmToken, rpcTransport } from './evm-chain.js';
import {
  type Facilitator,
  FacilitatorAway,
  type FacilitatorKind,
  saysUsed,
  NONCE_USED,
  type Transfer,
  type Verification,
  WRONG_SIGNATURE,
} from './facilitator.js';

const CONFIRMATION_TIMEOUT_MS = 15_000;
const POLLING_INTERVAL_MS = 250;
/** What a transfer by authorization takes at most, and for how many of them there must be money. */
const GAS_A_TRANSFER = 150_000n;
const TRANSFERS_AHEAD = 5n;
/** Another instance may send from the same account at the same moment. */
const SENDS_MAX = 3;
const NONCE_TAKEN = /nonce too low|replacement transaction underpriced|already known/i;

/**
 * Reasons that are found before anything is sent. All others are doubts: the library tells a transaction that failed
 * from one that could not be sent, or not be waited for, by free text alone.
 */
const DECIDED =
  /^(invalid_exact_evm_(?!transaction_failed|transfer_event_mismatch)[a-z0-9_]+|asset_not_deployed_contract|eip6492_factory_not_allowed|invalid_network|invalid_scheme)$/;

/** What the token says when a transfer is tried, as x402 names it. */
const REVERTS: readonly (readonly [RegExp, string])[] = [
  [/transfer amount exceeds balance/i, 'invalid_exact_evm_insufficient_balance'],
  [/authorization is expired/i, 'invalid_exact_evm_payload_authorization_valid_before'],
  [/invalid signature/i, 'invalid_exact_evm_signature'],
];

export interface InProcessOptions {
  readonly rpcUrl: string;
  readonly token: EvmToken;
  /** Name of the chain in version 1, where it has one. */
  readonly v1Name?: string;
  /** Key of the account that pays the gas. */
  readonly privateKey: string;
}

/** Settles by itself: verifies, sends the transfer from an account of its own, and waits until it is mined. */
export class InProcessFacilitator implements Facilitator {
  readonly trusted = true;
  private readonly facilitator = new x402Facilitator();
  private readonly wallet;

  constructor({ rpcUrl, token, v1Name, privateKey }: InProcessOptions) {
    const chain = defineChain({
      id: token.chainId,
      name: `eip155:${token.chainId}`,
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: [rpcUrl] } },
    });
    this.wallet = createWalletClient({
      account: privateKeyToAccount(privateKey as Hex),
      chain,
      transport: rpcTransport(rpcUrl),
      pollingInterval: POLLING_INTERVAL_MS,
    }).extend(publicActions);
    const signer = toFacilitatorEvmSigner(this.signerOf(), {
      confirmationTimeoutMs: CONFIRMATION_TIMEOUT_MS,
    });
    this.facilitator.register(`eip155:${token.chainId}`, new ExactEvmScheme(signer));
    if (v1Name !== undefined) {
      this.facilitator.registerV1(v1Name as Network, new ExactEvmSchemeV1(signer));
    }
  }

  async kinds(): Promise<readonly FacilitatorKind[]> {
    return this.facilitator.getSupported().kinds;
  }

  async verify({ paymentPayload, paymentRequirements }: FacilitatorRequest): Promise<Verification> {
    if (!canBeSent(paymentPayload)) return { valid: false, reason: WRONG_SIGNATURE };
    try {
      const { isValid, invalidReason = '' } = await this.facilitator.verify(
        paymentPayload as unknown as PaymentPayload,
        paymentRequirements as PaymentRequirements,
      );
      return isValid ? { valid: true } : { valid: false, reason: invalidReason };
    } catch (cause) {
      throw new FacilitatorAway('a payment cannot be verified on the chain', { cause });
    }
  }

  async settle({ paymentPayload, paymentRequirements }: FacilitatorRequest): Promise<Transfer> {
    try {
      const {
        success,
        transaction,
        errorReason = '',
      } = await this.facilitator.settle(
        paymentPayload as unknown as PaymentPayload,
        paymentRequirements as PaymentRequirements,
      );
      if (success) return { outcome: 'done', transaction };
      const reason = saysUsed(errorReason) ? NONCE_USED : errorReason;
      if (DECIDED.test(reason)) return { outcome: 'refused', reason };
      // In version 1 the library gives the node's own words; a call that reverts when it is tried is not sent.
      const reverted = REVERTS.find(([words]) => words.test(errorReason));
      if (reverted) return { outcome: 'refused', reason: reverted[1] };
      return { outcome: 'in-doubt', detail: `the transfer is in doubt: ${errorReason.slice(0, 200)}` };
    } catch (cause) {
      return { outcome: 'in-doubt', detail: 'the transfer is in doubt', cause };
    }
  }

  /** Whether there is money for the gas of some transfers. */
  async isReady(): Promise<boolean> {
    try {
      const [balance, gasPrice] = await Promise.all([
        this.wallet.getBalance({ address: this.wallet.account.address }),
        this.wallet.getGasPrice(),
      ]);
      return balance >= gasPrice * GAS_A_TRANSFER * TRANSFERS_AHEAD;
    } catch (cause) {
      throw new FacilitatorAway('the chain cannot be asked for a balance', { cause });
    }
  }

  /**
   * The library's signer over the wallet. One transaction is prepared and sent at a time, so that no two take the same
   * number; a number that another instance took meanwhile is taken anew, which moves nothing twice: the token sees to
   * that.
   */
  private signerOf(): Parameters<typeof toFacilitatorEvmSigner>[0] {
    const { wallet } = this;
    let sending: Promise<unknown> = Promise.resolve();
    const inTurn = (send: () => Promise<Hex>): Promise<Hex> => {
      const sent = sending.then(() => sendAgainIfTaken(send));
      sending = sent.catch(() => undefined);
      return sent;
    };
    return {
      address: wallet.account.address,
      readContract: args => wallet.readContract({ ...args, args: args.args ?? [] }),
      verifyTypedData: args => wallet.verifyTypedData(args as Parameters<typeof wallet.verifyTypedData>[0]),
      writeContract: args => inTurn(() => wallet.writeContract(args as unknown as WriteContractParameters)),
      sendTransaction: ({ to, data }: { to: Address; data: Hex }) =>
        inTurn(() => wallet.sendTransaction({ to, data })),
      waitForTransactionReceipt: args => wallet.waitForTransactionReceipt(args),
      getCode: args => wallet.getCode(args),
    };
  }
}

/**
 * Whether the library can send the signature: one of 65 bytes it sends as v, r and s, a contract wallet's too, and where they are none
 * it would say that the transfer could not be tried, which is a node's fault.
 */
function canBeSent({ payload }: FacilitatorRequest['paymentPayload']): boolean {
  try {
    const { signature } = parseErc6492Signature((payload as { signature: Hex }).signature);
    if (size(signature) === 65) parseSignature(signature);
    return true;
  } catch {
    return false;
  }
}

async function sendAgainIfTaken(send: () => Promise<Hex>): Promise<Hex> {
  for (let tries = 1; ; tries++) {
    try {
      return await send();
    } catch (error) {
      if (tries === SENDS_MAX || !NONCE_TAKEN.test(String(error))) throw error;
    }
  }
}

import { x402Facilitator } from '@x402/core/facilitator';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { registerExactEvmScheme } from '@x402/evm/exact/facilitator';
import { createWalletClient, defineChain, http, publicActions } from 'viem';
import { nonceManager, privateKeyToAccount } from 'viem/accounts';

/**
 * The facilitator of the public library, which verifies payments and carries them out on the local chain.
 *
 * @param {{ rpcUrl: string; privateKey: `0x${string}` }} options the key of an account with ether, that no other process sends from
 */
export function settlerOn({ rpcUrl, privateKey }) {
  // Without it, two settlements at once take one nonce, and all but one of them fail.
  const account = privateKeyToAccount(privateKey, { nonceManager });
  // The list of all chains takes half a second to load.
  const chain = defineChain({
    ...{ id: 84_532, name: 'local', nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 } },
    rpcUrls: { default: { http: [rpcUrl] } },
  });
  const wallet = createWalletClient({
    ...{ account, chain, transport: http(rpcUrl), pollingInterval: 10 },
  }).extend(publicActions);
  const settler = new x402Facilitator();
  const signer = toFacilitatorEvmSigner({ ...wallet, address: account.address });
  registerExactEvmScheme(settler, { signer, networks: 'eip155:84532' });
  return settler;
}

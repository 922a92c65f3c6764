import { findX402Network } from '@svc/protocols';
import { decodeBase64JsonObject, encodeBase64, toHex } from '../challenge/byte-text.js';
import { PaymentRefusedError, WalletError } from '../errors.js';
import type { AuthorizedPayment } from '../payment.js';
import { requireAmount, statedPriceMicroUsd } from './stated-price.js';

/** Clocks of payer and chain may differ by so much, seconds. */
const CLOCK_MARGIN_SECONDS = 600;
/** Longest time for which an authorisation is signed, seconds. */
const VALIDITY_SECONDS_MAX = 3_600;

/** EIP-712 data of an EIP-3009 transfer, as a signer of viem or ethers takes it. */
export interface TransferTypedData {
  readonly domain: {
    readonly name: string;
    readonly version: string;
    readonly chainId: number;
    readonly verifyingContract: `0x${string}`;
  };
  readonly types: Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>;
  readonly primaryType: 'TransferWithAuthorization';
  readonly message: Readonly<Record<string, `0x${string}` | bigint>>;
}

/** Whoever signs for an address: an account of viem fits as it is. */
export interface X402Signer {
  readonly address: `0x${string}`;
  signTypedData(data: TransferTypedData): Promise<string>;
}

/** Pays in stablecoin. */
export interface X402Wallet {
  readonly signer: X402Signer;
  /** Chains that it pays on, CAIP-2: `['eip155:8453']`. Offers on others are passed over. */
  readonly networks: readonly string[];
}

const TRANSFER_TYPES = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;

interface Offer {
  readonly accepted: Readonly<Record<string, unknown>>;
  readonly resource: unknown;
}

/**
 * Signs the transfer that an x402 offer (version 2) asks for; undefined where none is on a chain of the wallet. Signed is
 * only a transfer of that chain's USDC, of the price that the rest of the 402 states.
 *
 * @throws {PaymentRefusedError} for an offer that does not fit the 402 or the limit
 * @throws {WalletError} when the signer fails
 */
export async function authorizeByX402(
  headers: Headers,
  body: Record<string, unknown> | undefined,
  wallet: X402Wallet,
  rules: { readonly microUsdMax: number; readonly nowSeconds: number },
): Promise<AuthorizedPayment | undefined> {
  const offer = offerOf(headers, wallet.networks);
  if (offer === undefined) return undefined;
  const price = statedPriceMicroUsd(headers, body);
  const { typedData, authorization } = transferOf(offer.accepted, wallet, price, rules);
  const signature = await wallet.signer.signTypedData(typedData).catch((error: unknown) => {
    throw new WalletError('the signer of x402 did not sign', false, { cause: error });
  });
  const { accepted, resource } = offer;
  const payment = { x402Version: 2, resource, accepted, payload: { authorization, signature } };
  const text = encodeBase64(new TextEncoder().encode(JSON.stringify(payment)));
  return { rail: 'x402', headers: { 'PAYMENT-SIGNATURE': text }, amountMicroUsd: price };
}

function offerOf(headers: Headers, networks: readonly string[]): Offer | undefined {
  const text = headers.get('payment-required');
  if (text === null) return undefined;
  const required = decodeBase64JsonObject(text);
  const { x402Version, accepts, resource } = required ?? {};
  // A version that is newer than this payer is none of its offers; another may be.
  if (typeof x402Version === 'number' && x402Version > 2) return undefined;
  if (x402Version !== 2 || !Array.isArray(accepts))
    throw new PaymentRefusedError('CHALLENGE_MALFORMED', 'PAYMENT-REQUIRED is no offer of x402 version 2');
  const accepted = accepts.find(
    (one: Record<string, unknown> | null) =>
      one?.['scheme'] === 'exact' && networks.includes(String(one['network'])),
  ) as Record<string, unknown> | undefined;
  return accepted && { accepted, resource };
}

function transferOf(
  accepted: Readonly<Record<string, unknown>>,
  { signer }: X402Wallet,
  price: number,
  { microUsdMax, nowSeconds }: { readonly microUsdMax: number; readonly nowSeconds: number },
): { typedData: TransferTypedData; authorization: Record<string, string> } {
  const { network, amount, asset, payTo, maxTimeoutSeconds } = accepted;
  const usdc = findX402Network(String(network))?.usdc;
  // Another token could have any value, or none.
  if (usdc === undefined || String(asset).toLowerCase() !== usdc.address.toLowerCase())
    throw new PaymentRefusedError(
      'CHALLENGE_UNSUPPORTED',
      `the offer is not in the USDC of ${String(network)}`,
      {
        expected: usdc?.address,
        got: asset,
      },
    );
  if (typeof payTo !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(payTo))
    throw new PaymentRefusedError('CHALLENGE_MALFORMED', 'the offer names no address to pay');
  requireAmount(
    'the x402 offer',
    /^\d{1,15}$/.test(String(amount)) ? Number(amount) : amount,
    price,
    microUsdMax,
  );
  const seconds = Math.min(Number(maxTimeoutSeconds), VALIDITY_SECONDS_MAX);
  if (!(seconds >= 1))
    throw new PaymentRefusedError('CHALLENGE_MALFORMED', 'the offer states no maxTimeoutSeconds');
  const from = signer.address;
  const to = payTo.toLowerCase() as `0x${string}`;
  const nonce = `0x${toHex(crypto.getRandomValues(new Uint8Array(32)))}` as const;
  const validAfter = BigInt(nowSeconds - CLOCK_MARGIN_SECONDS);
  const validBefore = BigInt(nowSeconds + Math.floor(seconds));
  const value = BigInt(price);
  return {
    typedData: {
      domain: {
        name: usdc.name,
        version: usdc.version,
        chainId: Number(String(network).slice('eip155:'.length)),
        verifyingContract: usdc.address as `0x${string}`,
      },
      types: TRANSFER_TYPES,
      primaryType: 'TransferWithAuthorization',
      message: { from, to, value, validAfter, validBefore, nonce },
    },
    authorization: {
      from,
      to,
      value: String(value),
      validAfter: String(validAfter),
      validBefore: String(validBefore),
      nonce,
    },
  };
}

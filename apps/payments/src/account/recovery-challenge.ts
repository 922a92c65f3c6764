import { createHmac, timingSafeEqual } from 'node:crypto';

/** What a payer is asked to show that he is one, for one new key. */
export interface RecoveryOffer {
  /** 32 hexadecimal digits. */
  readonly nonce: string;
  readonly expiresAtMs: number;
  /** Where the caller reached us: `https://svc.example`. */
  readonly origin: string;
  /** The wallet that is to sign, in lower case; undefined where a Lightning credential proves the payer. */
  readonly address?: string;
  readonly accountId?: string;
}

const PREFIX = 'kr1';

/** The offer as a text that says it back: nothing of it is stored. */
export function sealOffer(key: Uint8Array, offer: RecoveryOffer): string {
  const sealed = `${PREFIX}.${Buffer.from(JSON.stringify(offer)).toString('base64url')}`;
  return `${sealed}.${macOf(key, sealed).toString('base64url')}`;
}

/** @returns undefined for a text that {@link sealOffer} has not made */
export function openOffer(key: Uint8Array, challenge: string): RecoveryOffer | undefined {
  const end = challenge.lastIndexOf('.');
  const sealed = challenge.slice(0, Math.max(0, end));
  const mac = Buffer.from(challenge.slice(end + 1), 'base64url');
  const expected = macOf(key, sealed);
  if (mac.length !== expected.length || !timingSafeEqual(mac, expected)) return undefined;
  return JSON.parse(Buffer.from(sealed.slice(PREFIX.length + 1), 'base64url').toString()) as RecoveryOffer;
}

/**
 * What a wallet signs, in the form of EIP-4361: wallets compare its domain with the page that asks, and no other site can use what was
 * signed for ours.
 * @param wallet the address as EIP-55 writes it, and its chain
 * @param issuedAtMs when it was made
 */
export function messageOf(
  { origin, nonce, expiresAtMs, accountId = 'the account on which my payments left credit' }: RecoveryOffer,
  wallet: { readonly address: string; readonly chainId: number },
  issuedAtMs: number,
): string {
  return [
    `${new URL(origin).host} wants you to sign in with your Ethereum account:`,
    wallet.address,
    '',
    `Make a new key of ${accountId}. Every key that it has ends at once.`,
    '',
    `URI: ${origin}/v1/account/recovery`,
    'Version: 1',
    `Chain ID: ${wallet.chainId}`,
    `Nonce: ${nonce}`,
    `Issued At: ${new Date(issuedAtMs).toISOString()}`,
    `Expiration Time: ${new Date(expiresAtMs).toISOString()}`,
  ].join('\n');
}

const macOf = (key: Uint8Array, text: string): Buffer => createHmac('sha256', key).update(text).digest();

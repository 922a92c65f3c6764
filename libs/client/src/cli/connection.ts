import { readFile } from 'node:fs/promises';
import { type Client, createClient, DEFAULT_MAX_SATS_PER_CALL } from '../client.js';
import type { LightningNetwork } from '../challenge/bolt11.js';
import { certificateFetch } from '../node/certificate-fetch.js';
import type { AuthorizedPayment, LightningPayment, Payment } from '../payment.js';
import { lndWallet } from '../wallet/lnd-wallet.js';
import { sandboxWallet } from '../wallet/sandbox-wallet.js';
import type { Wallet } from '../wallet/wallet.js';
import { UsageError } from './exit-code.js';
import { readOperandFile } from './operand.js';
import { type OptionValues, textOption, type VerbContext, type VerbOption } from './verb.js';

export const DEFAULT_URL = 'http://127.0.0.1:3000';

/** Options of every verb that talks to the gateway. */
export const connectionOptions: Readonly<Record<string, VerbOption>> = {
  url: {
    type: 'string',
    placeholder: 'URL',
    help: `address of the gateway (SVC_URL; default ${DEFAULT_URL})`,
  },
  timeout: { type: 'string', placeholder: 'SECONDS', help: 'longest wait for one answer (default 150)' },
};

/** Options of every verb that can cost money. */
export const paymentOptions: Readonly<Record<string, VerbOption>> = {
  wallet: {
    type: 'string',
    placeholder: 'NAME',
    help: 'sandbox, lnd or none (SVC_WALLET; default lnd where SVC_LND_URL is set, else sandbox on loopback)',
  },
  'max-sats': {
    type: 'string',
    placeholder: 'SATS',
    help: `most to pay for one call (SVC_MAX_SATS; default ${DEFAULT_MAX_SATS_PER_CALL})`,
  },
  payment: { type: 'string', placeholder: 'JSON', help: 'use a payment that a failed call printed' },
  'idempotency-key': {
    type: 'string',
    placeholder: 'TEXT',
    help: 'the same for every retry of one purchase by SVC_KEY (default: a fresh one)',
  },
};

export const PAYMENT_NOTES = [
  'The wallet lnd reads SVC_LND_URL, SVC_LND_MACAROON_FILE, SVC_LND_CERT_FILE (for a self-signed certificate)',
  'and SVC_LND_NETWORK (mainnet, testnet, signet or regtest; default mainnet). SVC_KEY is sent as X-SVC-KEY.',
  'A failure after a payment prints what fetches the answer again at no charge: with --payment, or --idempotency-key.',
];

/** A whole number of an option or its environment variable. @throws {UsageError} */
export function wholeNumber(name: string, value: string | undefined, min: number): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d{1,12}$/.test(value) || Number(value) < min)
    throw new UsageError(`${name} must be a whole number from ${min}, got ${value.slice(0, 80)}`);
  return Number(value);
}

function gatewayUrl({ values, environment }: VerbContext): string {
  return textOption(values, 'url') ?? environment['SVC_URL'] ?? DEFAULT_URL;
}

function isLoopback(url: string): boolean {
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  return host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}

async function openLndWallet(environment: VerbContext['environment']): Promise<Wallet> {
  const url = environment['SVC_LND_URL'];
  const macaroonFile = environment['SVC_LND_MACAROON_FILE'];
  if (url === undefined || !/^https?:/.test(url) || !URL.canParse(url))
    throw new UsageError('the wallet lnd needs SVC_LND_URL, the http or https address of the node');
  if (macaroonFile === undefined) throw new UsageError('the wallet lnd needs SVC_LND_MACAROON_FILE');
  const network = environment['SVC_LND_NETWORK'] ?? 'mainnet';
  if (!['mainnet', 'testnet', 'signet', 'regtest'].includes(network))
    throw new UsageError(`SVC_LND_NETWORK must be mainnet, testnet, signet or regtest, got ${network}`);
  const certificateFile = environment['SVC_LND_CERT_FILE'];
  return lndWallet({
    url,
    macaroonHex: (await readOperandFile(macaroonFile)).toString('hex'),
    network: network as LightningNetwork,
    fetch:
      certificateFile === undefined ? undefined : certificateFetch(await readFile(certificateFile, 'utf8')),
  });
}

/** The wallet that options and environment name; undefined for `none`. @throws {UsageError} */
export async function openWallet(context: VerbContext): Promise<Wallet | undefined> {
  const { values, environment } = context;
  const url = gatewayUrl(context);
  const fallback = environment['SVC_LND_URL'] !== undefined ? 'lnd' : isLoopback(url) ? 'sandbox' : 'none';
  const name = textOption(values, 'wallet') ?? environment['SVC_WALLET'] ?? fallback;
  if (name === 'none') return undefined;
  if (name === 'sandbox') return sandboxWallet({ baseUrl: url });
  if (name === 'lnd') return openLndWallet(environment);
  throw new UsageError(`--wallet must be sandbox, lnd or none, got ${name.slice(0, 80)}`);
}

export function maxSatsOf({ values, environment }: VerbContext): number {
  return (
    wholeNumber('--max-sats', textOption(values, 'max-sats') ?? environment['SVC_MAX_SATS'], 0) ??
    DEFAULT_MAX_SATS_PER_CALL
  );
}

/** The client that options and environment describe. @throws {UsageError} */
export async function openClient(context: VerbContext, pays: 'pays' | 'free'): Promise<Client> {
  const timeoutSeconds = wholeNumber('--timeout', textOption(context.values, 'timeout'), 1);
  const wallet = pays === 'pays' ? await openWallet(context) : undefined;
  try {
    return createClient({
      baseUrl: gatewayUrl(context),
      wallet,
      key: context.environment['SVC_KEY'],
      maxSatsPerCall: maxSatsOf(context),
      timeoutMs: timeoutSeconds === undefined ? undefined : timeoutSeconds * 1_000,
    });
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message.replace(/^baseUrl/, '--url'));
    throw error;
  }
}

/** A payment as a failed command printed it. @throws {UsageError} */
export function paymentOf(values: OptionValues): Payment | undefined {
  const text = textOption(values, 'payment');
  if (text === undefined) return undefined;
  try {
    const value = JSON.parse(text) as (Partial<LightningPayment> & Partial<AuthorizedPayment>) | null;
    if (typeof value?.authorization === 'string' && typeof value.amountSats === 'number')
      return value as LightningPayment;
    if (typeof value?.headers === 'object' && typeof value.amountMicroUsd === 'number')
      return value as AuthorizedPayment;
  } catch {
    // The message below says what is expected.
  }
  throw new UsageError('--payment must be the JSON that a failed command printed after "payment kept:"');
}

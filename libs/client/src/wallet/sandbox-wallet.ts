import { ConnectionError, ProblemError, WalletError } from '../errors.js';
import { errorOf, exchange, type Fetch, jsonObjectOf } from '../http-exchange.js';
import type { PaidInvoice, PayOptions, Wallet } from './wallet.js';

export interface SandboxWalletOptions {
  /** Address of the gateway whose sandbox pays its own invoices. */
  readonly baseUrl: string | URL;
  readonly fetch?: Fetch;
  readonly timeoutMs?: number;
}

/**
 * Pays regtest invoices at the gateway's own sandbox (`POST /dev/lightning/pay`). No money is
 * involved, and the preimage follows from the invoice, so paying again changes nothing. The route
 * does not exist in production.
 */
export function sandboxWallet(options: SandboxWalletOptions): Wallet {
  const url = new URL('/dev/lightning/pay', options.baseUrl).href;
  return {
    name: 'sandbox',
    network: 'regtest',
    async pay(invoice: string, { signal }: PayOptions): Promise<PaidInvoice> {
      const answer = await exchange(options.fetch ?? globalThis.fetch, {
        method: 'POST',
        url,
        headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
        body: JSON.stringify({ invoice }),
        signal,
        timeoutMs: options.timeoutMs ?? 15_000,
        responseBytesMax: 65_536,
      }).catch((error: unknown) => {
        if (!(error instanceof ConnectionError)) throw error;
        throw new WalletError(`the sandbox wallet did not answer: ${error.message}`, 'unknown', {
          cause: error,
        });
      });
      if (answer.status !== 200) {
        const error = errorOf(answer);
        const hint =
          error instanceof ProblemError && error.status !== 404
            ? error.message
            : `${url} is not there: this gateway runs without the sandbox`;
        throw new WalletError(`the sandbox wallet refused: ${hint}`, false, { cause: error });
      }
      const preimage = jsonObjectOf(answer)?.['preimage'];
      if (typeof preimage !== 'string')
        throw new WalletError('the sandbox wallet answered without a preimage', 'unknown');
      return { preimage, feeSats: 0 };
    },
  };
}

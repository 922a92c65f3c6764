import { readInvoice } from '../challenge/lightning-offer.js';
import { PaymentRefusedError } from '../errors.js';
import { connectionOptions, maxSatsOf, openWallet, PAYMENT_NOTES, paymentOptions } from './connection.js';
import { ExitCode, UsageError } from './exit-code.js';
import { columns } from './terminal.js';
import type { Verb, VerbContext } from './verb.js';

async function run(context: VerbContext): Promise<ExitCode> {
  const text = context.positionals[0].replace(/^lightning:/i, '').trim();
  const invoice = readInvoice(text);
  const wallet = await openWallet(context);
  if (wallet === undefined) throw new UsageError('no wallet: give --wallet sandbox or --wallet lnd');
  if (invoice.network !== wallet.network)
    throw new PaymentRefusedError(
      'INVOICE_OF_OTHER_NETWORK',
      `the invoice is for ${invoice.network}, the wallet ${wallet.name} pays on ${wallet.network}`,
    );
  if (invoice.expiresAt <= Date.now() / 1_000)
    throw new PaymentRefusedError(
      'INVOICE_EXPIRED',
      `the invoice expired at ${new Date(invoice.expiresAt * 1_000).toISOString()}`,
    );
  if (invoice.amountMsats === undefined)
    throw new PaymentRefusedError('INVOICE_INVALID', 'the invoice states no amount');
  const amountSats = Number(invoice.amountMsats) / 1_000;
  const satsMax = maxSatsOf(context);
  if (amountSats > satsMax)
    throw new PaymentRefusedError(
      'PRICE_ABOVE_LIMIT',
      `the invoice asks for ${amountSats} sats, above the limit of ${satsMax}: raise --max-sats to pay it`,
    );
  context.terminal.progress(`paying ${amountSats} sats with the wallet ${wallet.name}`);
  const { preimage, feeSats } = await wallet.pay(text, {
    paymentHash: invoice.paymentHash,
    signal: context.signal,
  });
  context.terminal.endProgress();
  const { paymentHash, network } = invoice;
  context.terminal.result(
    { preimage, paymentHash, amountSats, feeSats, network, wallet: wallet.name },
    columns([
      ['preimage', preimage],
      ['payment hash', paymentHash],
      ['paid', `${amountSats} sats and ${feeSats} sats of fees, on ${network}`],
    ]),
  );
  return ExitCode.ok;
}

export const payVerb: Verb = {
  name: 'pay',
  summary: 'pay a Lightning invoice and print its preimage',
  operands: 'INVOICE',
  positionalsMin: 1,
  positionalsMax: 1,
  options: { ...paymentOptions, ...connectionOptions },
  notes: [
    ...PAYMENT_NOTES,
    'The wallet sandbox pays regtest invoices of a gateway that runs its sandbox; no money is involved.',
    '',
    'With the preimage a 402 is answered by hand: Authorization: L402 MACAROON:PREIMAGE',
  ],
  run,
};

import { writeFile } from 'node:fs/promises';
import type { ProveRequest, ProveResult } from '../api-types.js';
import { decodeBase64 } from '../challenge/byte-text.js';
import type { Answer } from '../client.js';
import { type Payment, receiptOf } from '../payment.js';
import { type LocalVerdict, verifyLocally } from '../proof/verify-locally.js';
import {
  connectionOptions,
  openClient,
  PAYMENT_NOTES,
  paymentOf,
  paymentOptions,
  wholeNumber,
} from './connection.js';
import { ExitCode, UsageError } from './exit-code.js';
import { readTraceData } from './operand.js';
import { columns, grouped, keptPaymentNote } from './terminal.js';
import { textOption, type Verb, type VerbContext } from './verb.js';

async function save(path: string | undefined, content: string | Uint8Array): Promise<void> {
  if (path === undefined) return;
  try {
    await writeFile(path, content);
  } catch (error) {
    throw new Error(`${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function report(
  { data, payment }: Answer<ProveResult>,
  verdict: LocalVerdict | undefined,
  out?: string,
): string[] {
  const checked =
    verdict === undefined
      ? 'not checked here'
      : verdict.valid
        ? `valid, checked here in ${verdict.verificationLatencyMs.toFixed(0)} ms, and about your input`
        : `NOT VALID: ${verdict.reason}${verdict.detail === undefined ? '' : ` (${verdict.detail})`}`;
  return columns([
    ['status', data.status],
    [
      'proof',
      `${grouped(data.proofBytes)} bytes, ${data.proofId}${out === undefined ? '' : `, saved to ${out}`}`,
    ],
    ['checked', checked],
    ['statement', `${data.airId}, ${grouped(data.traceLength)} rows, blowup ${data.friBlowup}`],
    [
      'security',
      `${data.securityBits} bits proven, ${data.conjecturedSecurityBits} conjectured (${data.parameterSet})`,
    ],
    ['proof hash', data.proofRootHash],
    ['trace root', data.starkRootCommitment],
    [
      'server time',
      `${data.proverLatencyMs.toFixed(1)} ms proving, ${data.verificationLatencyMs.toFixed(1)} ms verifying`,
    ],
    ['paid', payment === undefined ? 'nothing' : `${payment.amountSats} sats over ${payment.rail}`],
    ['proves', `the ${data.proves}`],
    ['caveat', data.doesNotProve],
  ]);
}

async function run(context: VerbContext): Promise<ExitCode> {
  const { values, streams, terminal, signal } = context;
  const traceData = await readTraceData(context.positionals[0] ?? '-', values['hex'] === true, streams);
  if (traceData === '') throw new UsageError('DATA is empty: there is nothing to prove');
  // The server checks the values against the published list, and names it.
  const degree = wholeNumber('--degree', textOption(values, 'degree'), 1) as ProveRequest['degree'];
  const friBlowup = wholeNumber('--blowup', textOption(values, 'blowup'), 1) as ProveRequest['friBlowup'];
  const payment = paymentOf(values);
  const client = await openClient(context, 'pays');
  let paid = payment;
  const onPayment = (made: Payment) => void (paid = made);
  const onStage = terminal.followCall('proving');
  const answer = await client
    .prove({ traceData, degree, friBlowup }, { signal, payment, onStage, onPayment })
    .catch((error: unknown) => {
      if (signal.aborted && paid !== undefined) terminal.note(keptPaymentNote(paid));
      throw error;
    });
  terminal.endProgress();
  const { data } = answer;

  const out = textOption(values, 'out');
  if (out !== undefined) await save(out, decodeBase64(data.proof) ?? new Uint8Array());
  const verdict =
    values['no-check'] === true
      ? undefined
      : verifyLocally({
          proof: data.proof,
          publicInputs: data.publicInputs,
          airId: data.airId,
          traceLength: data.traceLength,
          traceData,
        });
  const receipt = answer.payment === undefined ? null : receiptOf(answer.payment);
  const whole = { ...data, payment: receipt, checked: verdict ?? null };
  await save(textOption(values, 'save'), `${JSON.stringify(whole, undefined, 2)}\n`);
  terminal.result(whole, report(answer, verdict, out));
  return verdict === undefined || verdict.valid ? ExitCode.ok : ExitCode.proofInvalid;
}

export const proveVerb: Verb = {
  name: 'prove',
  summary: 'buy a STARK proof of a hash chain over DATA, and check it here',
  operands: '[DATA|-]',
  positionalsMin: 0,
  positionalsMax: 1,
  options: {
    hex: { type: 'boolean', help: 'DATA is hexadecimal' },
    degree: {
      type: 'string',
      placeholder: 'ROWS',
      help: 'rows of the trace, a power of two (default 65536)',
    },
    blowup: { type: 'string', placeholder: 'N', help: 'FRI blowup factor: 2, 4, 8, 16 or 32 (default 8)' },
    out: { type: 'string', short: 'o', placeholder: 'FILE', help: "save the proof's bytes" },
    save: { type: 'string', placeholder: 'FILE', help: 'save the whole answer as JSON, for svc verify' },
    'no-check': { type: 'boolean', help: 'do not verify the proof on this machine' },
    payment: { type: 'string', placeholder: 'JSON', help: 'use a payment that a failed call printed' },
    ...paymentOptions,
    ...connectionOptions,
  },
  notes: [
    'DATA is text, or hexadecimal where it starts with 0x; without it, or with -, stdin is read.',
    ...PAYMENT_NOTES,
    '',
    'Examples:',
    '  svc prove hello --save answer.json',
    '  xxd -p photo.jpg | svc prove - --hex --degree 4096 --out proof.bin',
  ],
  run,
};

import type { Answer, CallOptions } from '../paid-call.js';
import { SECURITY_BITS_MIN_DEFAULT } from '@svc/stark-verifier';
import type { ProofJob, ProveRequest, ProveResult, StarkProveResult } from '../api-types.js';
import { decodeBase64, encodeBase64 } from '../challenge/byte-text.js';
import type { Client, ProvePath } from '../client.js';
import { ProblemError, UnexpectedResponseError } from '../errors.js';
import { hasEnded, ProofJobError } from '../proof/proof-job.js';
import { verifyBought } from '../proof/verify-bought.js';
import type { LocalVerdict } from '../proof/verify-locally.js';
import { type Paid, paidOf } from './charge.js';
import { connectionOptions, PAYMENT_NOTES, paymentOptions, wholeNumber } from './connection.js';
import { ExitCode, RefusedOptionError, UsageError } from './exit-code.js';
import { type Attempt, type Bought, buyAndUse } from './kept-purchase.js';
import { readFileOrStdin, readTraceData } from './operand.js';
import { batchProofMember, fetchBatchProof, saveFile, saveJson } from './paid-answer.js';
import { columns, grouped } from './terminal.js';
import { textOption, type Verb, type VerbContext } from './verb.js';

/** What is bought: a route and its body. */
export interface Order {
  readonly path: ProvePath;
  readonly body: object;
}

export const STATEMENT_PATHS: Readonly<Record<string, ProvePath>> = {
  goldilocks: '/v1/stark/prove-goldilocks',
  m31: '/v1/stark/prove-m31',
};

type Proved = Answer<ProveResult | StarkProveResult>;
type Started = ProofJob | Proved['data'];

function checkedLine(verdict: LocalVerdict | undefined): string {
  if (verdict === undefined) return 'not checked here';
  if (!verdict.valid)
    return `NOT VALID: ${verdict.reason}${verdict.detail === undefined ? '' : ` (${verdict.detail})`}`;
  const about = verdict.boundToTraceData ? ', and about your input' : '';
  const checked = `valid, checked here in ${verdict.verificationLatencyMs.toFixed(0)} ms: what was asked for${about}`;
  if (verdict.securityBits >= SECURITY_BITS_MIN_DEFAULT) return checked;
  return `${checked}; only ${verdict.securityBits} bits proven, as ${verdict.parameterSet} has that was asked for by name: svc verify takes it with --security-bits ${verdict.securityBits}`;
}

function report(
  { data }: Proved,
  verdict: LocalVerdict | undefined,
  paidLines: Paid['lines'],
  out?: string,
): string[] {
  const securityBits = 'securityBits' in data ? data.securityBits : data.securityLevelBits;
  const opening = 'opening' in data ? Object.entries(data.opening ?? {}) : [];
  return columns([
    ['status', 'status' in data ? data.status : `verified: ${String(data.verified)}`],
    [
      'proof',
      `${grouped(data.proofBytes)} bytes, ${data.proofId}${out === undefined ? '' : `, saved to ${out}`}`,
    ],
    ['checked', checkedLine(verdict)],
    ['statement', `${data.airId}, ${grouped(data.traceLength)} rows, blowup ${data.friBlowup}`],
    ...opening.map(([name, value]) => [`keep: ${name}`, value] as const),
    [
      'security',
      `${securityBits} bits proven, ${data.conjecturedSecurityBits} heuristic (${data.parameterSet})`,
    ],
    ['proof hash', data.proofRootHash],
    ['trace root', data.starkRootCommitment],
    [
      'server time',
      `${data.proverLatencyMs.toFixed(1)} ms proving, ${data.verificationLatencyMs.toFixed(1)} ms verifying`,
    ],
    ...paidLines,
    ['proves', `the ${data.proves}`],
    ['caveat', data.doesNotProve],
  ]);
}

async function readOrder({ values, positionals, streams }: VerbContext): Promise<Order> {
  const field = textOption(values, 'statement');
  const operand = positionals[0] ?? '-';
  if (field !== undefined) {
    const path = STATEMENT_PATHS[field];
    if (path === undefined)
      throw new UsageError(`--statement must be goldilocks or m31, got ${field.slice(0, 80)}`);
    const text = new TextDecoder().decode(await readFileOrStdin(operand, streams));
    try {
      const body: unknown = JSON.parse(text);
      if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { path, body };
    } catch {
      // The message below says what is expected.
    }
    throw new UsageError(`${operand} is not a JSON object: the body of ${path}`);
  }
  const traceData = await readTraceData(operand, values['hex'] === true, streams);
  if (traceData === '') throw new UsageError('DATA is empty: there is nothing to prove');
  // The server checks the values against the published list, and names it.
  const degree = wholeNumber('--degree', textOption(values, 'degree'), 1) as ProveRequest['degree'];
  const friBlowup = wholeNumber('--blowup', textOption(values, 'blowup'), 1) as ProveRequest['friBlowup'];
  return { path: '/v1/zk/prove', body: { traceData, degree, friBlowup } };
}

/** Fields of a hash chain that options give; its data is an operand. */
const OPTION_OF_FIELD: Readonly<Record<string, string>> = { degree: 'degree', friBlowup: 'blowup' };

/** The error as one of the command line, where the server refuses the value of an option or of DATA. */
function asRefusedOption(error: unknown, { path: route }: Order, values: VerbContext['values']): unknown {
  if (!(error instanceof ProblemError) || error.code !== 'VALIDATION_FAILED') return error;
  const isGiven = ({ path }: { path: string }) =>
    route !== '/v1/zk/prove' ||
    path === 'traceData' ||
    textOption(values, OPTION_OF_FIELD[path] ?? '') !== undefined;
  if (!error.errors.some(isGiven)) return error;
  return new RefusedOptionError(error.problem);
}

function buy(client: Client, { path, body }: Order, options: CallOptions): Promise<Proved> {
  if (path === '/v1/zk/prove') return client.prove(body as never, options);
  if (path === '/v1/stark/prove-m31') return client.proveM31(body as never, options);
  return client.proveGoldilocks(body as never, options);
}

/** Gives a proof away as a job. What was kept of one that has ended brings the whole answer, which is asked for as such. */
function startJob(client: Client, order: Order, options: CallOptions): Promise<Answer<Started>> {
  const { path, body } = order;
  return client.startJob(path, body as never, options).catch((error: unknown) => {
    const isWhole = error instanceof UnexpectedResponseError && error.status === 200;
    const isPaid = isWhole && (error.payment ?? options.idempotencyKey) !== undefined;
    if (!isPaid) throw error;
    return buy(client, order, { ...options, payment: error.payment });
  });
}

/** Follows the job that makes a proof to its end and fetches what it made; Ctrl-C cancels it. */
async function endOfJob(
  { terminal, signal }: VerbContext,
  order: Order,
  { answer: started, client, options }: Bought<Started>,
): Promise<Proved> {
  if (!('jobId' in started.data)) return started as Proved;
  const { jobId, opening } = started.data;
  terminal.note(`job ${jobId}: ${new URL(`/v1/stark/jobs/${jobId}`, client.baseUrl).href}`);
  try {
    for await (const { state, stage, stagesDone, stageCount } of client.followJob(jobId, { signal }))
      terminal.progress(
        `${state}${stage === undefined ? '' : `: ${stage}`} (${stagesDone} of ${stageCount})`,
      );
  } catch (error) {
    if (signal.aborted) await client.cancelJob(jobId).catch(() => undefined);
    throw error;
  } finally {
    terminal.endProgress();
  }
  // A job whose 202 was lost has told nobody what opens its commitment: the whole answer does.
  if (started.status !== 202) return buy(client, order, { ...options, payment: started.payment });
  const { data: job } = await client.job(jobId);
  if (!hasEnded(job) || job.result === undefined || job.proofId === undefined) throw new ProofJobError(job);
  const { data: proof } = await client.fetchProof(job.proofId);
  return {
    ...started,
    data: { ...job.result, ...(opening && { opening }), proof: encodeBase64(proof) } as
      ProveResult | StarkProveResult,
  };
}

const run = async (context: VerbContext): Promise<ExitCode> => proveOrder(context, await readOrder(context));

/** Buys what is ordered, at once or as a job, checks it here, and says what came. */
export async function proveOrder(context: VerbContext, order: Order): Promise<ExitCode> {
  const { values } = context;
  const refused = (error: unknown) => {
    throw asRefusedOption(error, order, values);
  };
  const asked = { doing: 'proving', files: [textOption(values, 'out'), textOption(values, 'save')] };
  if (values['async'] !== true)
    return buyAndUse<Proved['data']>(
      context,
      { ...asked, buy: (client, options) => buy(client, order, options).catch(refused) },
      ({ answer, attempt }) => show(context, order, answer, attempt),
    );
  return buyAndUse<Started>(
    context,
    {
      ...asked,
      buy: (client, options) => startJob(client, order, options).catch(refused),
    },
    async bought => show(context, order, await endOfJob(context, order, bought), bought.attempt),
  );
}

async function show(context: VerbContext, order: Order, answer: Proved, attempt: Attempt): Promise<ExitCode> {
  const { values, terminal } = context;
  const { data } = answer;
  const [out, savePath] = [textOption(values, 'out'), textOption(values, 'save')];
  const bytes = decodeBase64(data.proof) ?? new Uint8Array();
  const proofFile = out === undefined ? undefined : await attempt(() => saveFile(out, bytes));
  const verdict =
    values['no-check'] === true
      ? undefined
      : verifyBought({ path: order.path, request: order.body, answer: data });
  const paidFor = await paidOf(context, answer);
  const whole = { ...data, payment: paidFor.charge, checked: verdict ?? null };
  if (savePath !== undefined) {
    const batchProof = await fetchBatchProof(context, data.auditProof);
    await attempt(() => saveJson(savePath, { ...whole, ...batchProofMember(batchProof) }));
  }
  terminal.result(whole, report(answer, verdict, paidFor.lines, proofFile));
  return verdict === undefined || verdict.valid ? ExitCode.ok : ExitCode.proofInvalid;
}

/** How a proof is bought, whatever it is of. */
export const provingOptions = {
  async: { type: 'boolean', help: 'as a job whose progress is shown; Ctrl-C cancels it' },
  out: { type: 'string', short: 'o', placeholder: 'FILE', help: "save the proof's bytes" },
  save: {
    type: 'string',
    placeholder: 'FILE',
    help: 'save the whole answer and the proof of its evidence as JSON, for svc verify',
  },
  'no-check': {
    type: 'boolean',
    help: 'do not verify on this machine that the proof holds and is what was asked for',
  },
  ...paymentOptions,
  ...connectionOptions,
} as const satisfies Verb['options'];

export const proveVerb: Verb = {
  name: 'prove',
  summary: 'buy a STARK proof of a hash chain over DATA, or of a statement, and check it here',
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
    statement: {
      type: 'string',
      placeholder: 'FIELD',
      help: 'DATA is a file with the JSON body of a statement over goldilocks or m31',
    },
    ...provingOptions,
  },
  notes: [
    'DATA is text, or hexadecimal where it starts with 0x; without it, or with -, stdin is read.',
    ...PAYMENT_NOTES,
    '',
    'Examples:',
    '  svc prove hello --save answer.json',
    '  xxd -p photo.jpg | svc prove - --hex --degree 4096 --out proof.bin',
    '  svc prove hello --degree 1048576 --async',
    `  echo '{"publicInputs":["42"],"privateWitness":["7"]}' | svc prove - --statement m31`,
  ],
  run,
};

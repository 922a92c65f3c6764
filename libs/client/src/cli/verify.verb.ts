import type { PublicInputs } from '../api-types.js';
import { decodeBase64, encodeBase64 } from '../challenge/byte-text.js';
import { namesProof, verifyNamedProof, withNamedProof } from '../proof/named-proof.js';
import { type AcceptedProof, type LocalVerdict, verifyLocally } from '../proof/verify-locally.js';
import { connectionOptions, openClient, wholeNumber } from './connection.js';
import { ExitCode, UsageError } from './exit-code.js';
import { readFileOrStdin, readJsonObject, readOperandFile, readTraceData } from './operand.js';
import { columns, grouped } from './terminal.js';
import { textOption, type Verb, type VerbContext } from './verb.js';
import { verifyAudit } from './verify-audit.js';
import { isLicenceAnswer, verifyLicence } from './verify-licence.js';
import { heldAgainstRequest, namedProofOf, statementRows } from './verify-named.js';

const DEFAULT_AIR = 'hash-chain/v1';

/** The parts of a claim, each from the first place that has it. */
interface Claim {
  readonly proof: Uint8Array;
  readonly publicInputs: PublicInputs;
  readonly airId: string;
  /** The definition that the file has beside the proof. */
  readonly air: string | undefined;
  /** What the command line names. */
  readonly airIds: readonly string[] | undefined;
  readonly contextDomain: string | undefined;
  readonly traceLength: number | undefined;
  /** The answer that they are of, as far as it is given. */
  readonly answer: Readonly<Record<string, unknown>>;
}

const AIR_ID = /^air\/sha256:[0-9a-f]{64}$/;
/** A definition that `svc air verify` has read, for a file that has none. */
export const AIR_TEXT = 'air-text';

const BRACE = '{'.charCodeAt(0);
const isJson = (bytes: Uint8Array) => bytes.find(byte => byte > 0x20) === BRACE;

/** @param answer that PROOF is, where it is JSON; with the proof that it names */
async function readClaim(
  { positionals: [path], values }: VerbContext,
  operand: Uint8Array,
  answer: Readonly<Record<string, unknown>>,
): Promise<Claim> {
  const resultPath = textOption(values, 'result');
  const inputsPath = textOption(values, 'public-inputs');
  const result: Readonly<Record<string, unknown>> = isJson(operand)
    ? answer
    : resultPath === undefined
      ? {}
      : readJsonObject(await readOperandFile(resultPath), resultPath);
  const proof = isJson(operand) ? decodeBase64(String(result['proof'])) : operand;
  if (proof === undefined || proof.length === 0) {
    const hint = result['auditProof'] === undefined ? '' : '; --audit verifies the evidence that it has';
    throw new UsageError(`${path} holds no proof${hint}`);
  }
  const publicInputs =
    inputsPath === undefined
      ? result['publicInputs']
      : readJsonObject(await readOperandFile(inputsPath), inputsPath);
  if (typeof publicInputs !== 'object' || publicInputs === null)
    throw new UsageError('a proof is checked against its public inputs: give --result or --public-inputs');
  const stated = result['traceLength'];
  const context = result['contextDomain'];
  const named = textOption(values, 'air');
  if (named?.startsWith('air/') && !AIR_ID.test(named))
    throw new UsageError(`--air must be air/sha256: and 64 hexadecimal digits, got ${named.slice(0, 90)}`);
  const airId = named ?? (typeof result['airId'] === 'string' ? result['airId'] : DEFAULT_AIR);
  // A proof that was fetched by its id has no definition beside it: the file that --air names has one.
  const { air = textOption(values, AIR_TEXT) } = result;
  return {
    proof,
    publicInputs: publicInputs as PublicInputs,
    airId,
    air: typeof air === 'object' && air !== null ? JSON.stringify(air) : (air as string | undefined),
    airIds: named === undefined ? undefined : [named],
    answer: { ...result, publicInputs, airId, proof: encodeBase64(proof) },
    contextDomain: textOption(values, 'context') ?? (typeof context === 'string' ? context : undefined),
    traceLength:
      wholeNumber('--rows', textOption(values, 'rows'), 1) ??
      (typeof stated === 'number' ? stated : undefined),
  };
}

/** What a proof under a definition shows, `rows` that it speaks of among them. */
const shownInputs = (inputs: PublicInputs): (readonly [string, string])[] => [
  [
    'public',
    Object.entries(inputs)
      .map(([name, value]) => `${name} = ${String(value)}`)
      .join(', '),
  ],
];

/** What is shown of a valid proof beside the verdict. */
interface Shown {
  readonly compared?: string;
  readonly rows?: readonly (readonly [string, string])[];
}

/** How to hold the proof against what was asked for: an option that fits what was computed. */
function comparedLine({ airId, definitionExpected }: AcceptedProof): string {
  if (definitionExpected === false)
    return 'valid under the definition in this file; --air names the one that you expect';
  if (definitionExpected) return 'under the definition that you have named';
  return `not compared: give ${airId === DEFAULT_AIR ? '--trace-data, or --request' : '--request'}`;
}

const ADVICE: Readonly<Record<string, string>> = {
  'insufficient-security': '; --security-bits sets the least that is accepted',
  'definition-missing': '; svc air verify takes it by --air FILE',
};

function report(verdict: LocalVerdict, { compared, rows = [] }: Shown = {}): string[] {
  if (!verdict.valid) {
    const { reason, detail } = verdict;
    return [`INVALID  ${reason}${detail === undefined ? '' : `: ${detail}`}${ADVICE[reason] ?? ''}`];
  }
  return columns([
    ['VALID', `${verdict.airId}, ${grouped(verdict.traceLength)} rows, blowup ${verdict.friBlowup}`],
    [
      'security',
      `${verdict.securityBits} bits proven, ${verdict.conjecturedSecurityBits} heuristic (${verdict.parameterSet})`,
    ],
    ['trace root', verdict.starkRootCommitment],
    ...rows,
    ['input', compared ?? comparedLine(verdict)],
    ['time', `${verdict.verificationLatencyMs.toFixed(1)} ms on this machine`],
  ]);
}

async function verifyRemotely(
  context: VerbContext,
  claim: Claim,
  securityBitsMin?: number,
): Promise<ExitCode> {
  const client = await openClient(context, 'free');
  const { proof, publicInputs, airId, air, airIds, contextDomain, traceLength } = claim;
  const { data } = await client.verifyProof(
    {
      ...{ proof: encodeBase64(proof), publicInputs, airId, air, contextDomain, traceLength },
      policy:
        securityBitsMin === undefined && airIds === undefined
          ? undefined
          : { securityBitsMin, ...(airIds && { airIds: [...airIds] }) },
    },
    { signal: context.signal, onStage: context.terminal.followCall('the server verifies') },
  );
  context.terminal.endProgress();
  const lines = data.valid
    ? columns([
        ['VALID', `${data.airId}, ${grouped(data.traceLength ?? 0)} rows, by the word of ${client.baseUrl}`],
        ['security', `${data.securityBits} bits proven, ${data.conjecturedSecurityBits} heuristic`],
        ['time', `${data.verificationLatencyMs.toFixed(1)} ms on the server`],
      ])
    : [`INVALID  ${data.reason ?? 'no reason given'}, by the word of ${client.baseUrl}`];
  context.terminal.result(data, lines);
  return data.valid ? ExitCode.ok : ExitCode.proofInvalid;
}

/** `svc verify` of an answer that names its proof, as tools give it. */
async function verifyAnswerNaming(
  context: VerbContext,
  saved: Readonly<Record<string, unknown>> & { readonly proofId: string },
  traceData: string | undefined,
): Promise<ExitCode> {
  const named = await namedProofOf(context, saved);
  const securityBitsMin = wholeNumber('--security-bits', textOption(context.values, 'security-bits'), 0);
  const verified = verifyNamedProof(saved, named, { traceData, securityBitsMin });
  const held = await heldAgainstRequest(context, withNamedProof(saved, named), verified);
  const { verdict, compared = 'not compared: give --request' } = held;
  const rows = statementRows(saved['publicInputs'] ?? named.publicInputs);
  context.terminal.result({ ...verdict, proofId: saved.proofId }, report(verdict, { compared, rows }));
  return verdict.valid ? ExitCode.ok : ExitCode.proofInvalid;
}

async function run(context: VerbContext): Promise<ExitCode> {
  const { values, streams, terminal } = context;
  const traceOperand = textOption(values, 'trace-data');
  if (values['remote'] === true && values['local'] === true)
    throw new UsageError('--local and --remote exclude each other');
  if (values['remote'] === true && traceOperand !== undefined)
    throw new UsageError('--trace-data is compared on this machine: leave out --remote');
  if (values['audit'] === true && values['air'] !== undefined)
    throw new UsageError('--air is held against a proof, and --audit looks at evidence: give one of the two');
  if (values['audit'] === true) return verifyAudit(context);
  if (values['remote'] === true && values['request'] !== undefined)
    throw new UsageError('--request is compared on this machine: leave out --remote, or give --audit');
  const [path] = context.positionals;
  const operand = await readFileOrStdin(path, streams);
  const saved = isJson(operand) ? readJsonObject(operand, path) : {};
  if (values['air'] !== undefined && (isLicenceAnswer(saved) || namesProof(saved)))
    throw new UsageError(
      '--air is held against a proof, and this file names one: fetch that (svc call GET /v1/stark/proofs/ID), and verify it',
    );
  if (isLicenceAnswer(saved)) {
    if (values['remote'] === true)
      throw new UsageError('a licence sale is verified on this machine: leave out --remote');
    return verifyLicence(context, saved);
  }
  const traceData =
    traceOperand === undefined
      ? undefined
      : await readTraceData(traceOperand, values['hex'] === true, streams);
  const isNaming = namesProof(saved);
  if (isNaming && values['remote'] !== true) return verifyAnswerNaming(context, saved, traceData);
  const result = isNaming ? withNamedProof(saved, await namedProofOf(context, saved)) : saved;
  const claim = await readClaim(context, operand, result);
  const securityBitsMin = wholeNumber('--security-bits', textOption(values, 'security-bits'), 0);
  if (values['remote'] === true) return verifyRemotely(context, claim, securityBitsMin);
  const { answer, ...parts } = claim;
  const verified = verifyLocally({ ...parts, traceData, securityBitsMin });
  const { verdict, compared } = await heldAgainstRequest(context, answer, verified);
  const rows = claim.air === undefined ? [] : shownInputs(claim.publicInputs);
  terminal.result(verdict, report(verdict, { compared, rows }));
  return verdict.valid ? ExitCode.ok : ExitCode.proofInvalid;
}

export const verifyVerb: Verb = {
  name: 'verify',
  summary: 'verify a proof or a licence sale, on this machine unless told otherwise',
  operands: 'PROOF',
  positionalsMin: 1,
  positionalsMax: 1,
  options: {
    result: { type: 'string', placeholder: 'FILE', help: 'the answer that came with the proof, JSON' },
    'public-inputs': { type: 'string', placeholder: 'FILE', help: 'public inputs alone, JSON' },
    air: {
      type: 'string',
      placeholder: 'ID',
      help: `what was computed (default: of the result, ${DEFAULT_AIR})`,
    },
    context: {
      type: 'string',
      placeholder: 'TEXT',
      help: 'domain tag that the proof was made under (default: of the result)',
    },
    'trace-data': {
      type: 'string',
      placeholder: 'DATA',
      help: 'the input that the proof must be about; - for stdin',
    },
    hex: { type: 'boolean', help: 'the trace data is hexadecimal' },
    rows: {
      type: 'string',
      placeholder: 'N',
      help: 'rows that the proof must be about (default: of the result)',
    },
    'security-bits': {
      type: 'string',
      placeholder: 'N',
      help: 'least proven security to accept (default 80)',
    },
    audit: { type: 'boolean', help: 'verify the auditProof of an answer, PROOF being the answer' },
    request: {
      type: 'string',
      placeholder: 'FILE',
      help: 'the request that was answered, JSON. What is private in it shows whether the opening of the answer opens its commitment, and goes nowhere',
    },
    'batch-proof': {
      type: 'string',
      placeholder: 'FILE',
      help: 'with --audit: the proof of its batch (default: fetched from the gateway)',
    },
    keys: {
      type: 'string',
      placeholder: 'FILE',
      help: 'of --audit or a licence: the published keys, JSON (default: fetched from the gateway)',
    },
    local: { type: 'boolean', help: 'verify on this machine; the default' },
    remote: { type: 'boolean', help: 'let the gateway verify' },
    ...connectionOptions,
  },
  notes: [
    'PROOF is a file of proof bytes (svc prove --out), or an answer (svc prove --save, svc tool --save); - for stdin.',
    'An answer of zk_prove_spatial or generate_goldilocks_stark_proof names its proof: it is fetched by its id where the file does not have it, must have the root that the answer has, and with --request must be of what was asked for.',
    '--audit names each rule that does not hold, which leaves the evidence valid, and checks what opens a commitment: one that does not open it exits with 4.',
    'Of a licence sale (svc license --save) every part is checked: log, token, contract, execution proof, audit proof, checkpoint; --request names what was asked for, --keys a file of all published keys.',
    '',
    'Examples:',
    '  svc verify answer.json --trace-data hello',
    '  svc verify proof.bin --result answer.json --remote',
    '  svc verify answer.json --audit',
  ],
  run,
};

import {
  discloseFields,
  type DisclosedFields,
  DisclosureError,
  type ProofKey,
  readDisclosedFields,
  verifyDisclosedFields,
} from '@svc/audit-proof';
import { connectionOptions, openClient, wholeNumber } from './connection.js';
import { ExitCode, UsageError } from './exit-code.js';
import { readFileOrStdin, readJsonObject, readOperandFile } from './operand.js';
import { saveFile } from './paid-answer.js';
import { publishedKeys } from './published-keys.js';
import { columns } from './terminal.js';
import { textOption, type Verb, type VerbContext } from './verb.js';
import { readSavedAnswer } from './verify-audit.js';

const COMMANDS: Readonly<Record<string, (context: VerbContext) => Promise<ExitCode>>> = { disclose, check };

/** Writes fields of an answer as a document of their own. */
async function disclose(context: VerbContext): Promise<ExitCode> {
  const [, path, ...paths] = context.positionals;
  if (path === undefined || paths.length === 0)
    throw new UsageError('usage: svc proof disclose ANSWER PATH… --out FILE');
  const { answer } = await readSavedAnswer({ ...context, positionals: [path] });
  const document = disclosed(answer, paths.map(pointerOf));
  const out = textOption(context.values, 'out');
  if (out !== undefined) await saveFile(out, `${JSON.stringify(document, undefined, 2)}\n`);
  const shown = out === undefined ? JSON.stringify(document, undefined, 2).split('\n') : [];
  const { operationId, fields, fieldCount } = document;
  const summary = columns([
    ...fields.map(({ path: field, value }) => [field, shownValue(value)] as const),
    ['of', `an answer to ${operationId} with ${fieldCount} fields`],
    ['saved to', String(out)],
  ]);
  context.terminal.result(document, out === undefined ? shown : summary);
  return ExitCode.ok;
}

/** A shell writes `/verdict` and `verdict` alike; a pointer begins with the slash. */
const pointerOf = (path: string) => (path.startsWith('/') ? path : `/${path}`);

function disclosed(answer: object, paths: readonly string[]): DisclosedFields {
  try {
    return discloseFields(answer, paths);
  } catch (error) {
    if (!(error instanceof DisclosureError)) throw error;
    const { disclosure } = answer as { disclosure?: { fields?: { path?: unknown }[] } };
    const known = error.code === 'unknown-field' ? disclosure?.fields?.map(({ path }) => String(path)) : [];
    throw new UsageError(
      known?.length ? `${error.message}; there are ${known.slice(0, 12).join(', ')} …` : error.message,
    );
  }
}

/** Checks such a document: nothing else of the answer is needed. */
async function check(context: VerbContext): Promise<ExitCode> {
  const { positionals, values, streams, terminal } = context;
  const [, path, ...more] = positionals;
  if (path === undefined || more.length > 0) throw new UsageError('usage: svc proof check FILE');
  const document = readJsonObject(await readFileOrStdin(path, streams), path);
  const startedAt = performance.now();
  const read = readDisclosedFields(document);
  const verdict =
    typeof read === 'string'
      ? verifyDisclosedFields({ document, proof: new Uint8Array(), keys: [] })
      : verifyDisclosedFields(
          {
            document,
            proof: await batchProofOf(context, read),
            keys: await publishedKeys<ProofKey>(context, '/.well-known/svc-proof-keys.json'),
          },
          { securityBitsMin: wholeNumber('--security-bits', textOption(values, 'security-bits'), 0) },
        );
  const { valid, reason, detail } = verdict;
  if (!valid || typeof read === 'string') {
    terminal.result({ valid, reason, detail }, [
      `INVALID  ${String(reason)}${detail === undefined ? '' : `: ${detail}`}`,
    ]);
    return ExitCode.proofInvalid;
  }
  const { operationId, fields, fieldCount, disclosureProof } = read;
  terminal.result(
    { valid, operationId, fields: Object.fromEntries(fields.map(field => [field.path, field.value])) },
    columns([
      ['VALID', `${fields.length} of ${fieldCount} fields of one answer to ${operationId}`],
      ...fields.map(field => [field.path, shownValue(field.value)] as const),
      ['does not prove', disclosureProof.doesNotProve],
      ['time', `${(performance.now() - startedAt).toFixed(1)} ms, with what was fetched`],
    ]),
  );
  return ExitCode.ok;
}

async function batchProofOf(context: VerbContext, { disclosureProof }: DisclosedFields): Promise<Uint8Array> {
  const path = textOption(context.values, 'batch-proof');
  if (path !== undefined) return readOperandFile(path);
  // Evidence that is only signed names none. One that cannot be read is asked for under no name: it is checked where the rest is.
  const { proofId } = { ...disclosureProof } as { proofId?: unknown };
  if (typeof proofId !== 'string') return new Uint8Array();
  const client = await openClient(context, 'free');
  return (await client.fetchProof(proofId, { signal: context.signal })).data;
}

/** What others wrote must not command the terminal. */
const shownValue = (value: unknown): string =>
  (typeof value === 'string' ? value : JSON.stringify(value)).replace(
    /[\u0000-\u001f\u007f-\u009f]/g,
    '\ufffd',
  );

async function run(context: VerbContext): Promise<ExitCode> {
  const [name] = context.positionals;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined)
    throw new UsageError(`there is no ${name.slice(0, 80)}; there are ${Object.keys(COMMANDS).join(', ')}`);
  return command(context);
}

export const proofVerb: Verb = {
  name: 'proof',
  summary: 'show single fields of an answer to others, and check what is shown',
  operands: 'disclose|check FILE [PATH…]',
  positionalsMin: 1,
  positionalsMax: 514,
  options: {
    out: { type: 'string', short: 'o', placeholder: 'FILE', help: 'of disclose: where the document goes' },
    'batch-proof': {
      type: 'string',
      placeholder: 'FILE',
      help: 'of check: the proof of the batch (default: fetched from the gateway)',
    },
    keys: {
      type: 'string',
      placeholder: 'FILE',
      help: 'of check: the published keys, JSON (default: fetched from the gateway)',
    },
    'security-bits': {
      type: 'string',
      placeholder: 'N',
      help: 'of check: least proven security (default 100)',
    },
    ...connectionOptions,
  },
  notes: [
    'disclose ANSWER PATH… makes a document of those fields of a saved answer (svc bullion --save, …), with salts and',
    'paths of no other. PATH is a JSON pointer, /verdict or /spot/price; that of a member stands for all fields in it.',
    'check FILE holds such a document against the proof of its batch and the published keys: no other field of the',
    'answer is needed.',
    '',
    'Examples:',
    '  svc proof disclose answer.json /verdict /massCheck --out shown.json',
    '  svc proof check shown.json',
  ],
  run,
};

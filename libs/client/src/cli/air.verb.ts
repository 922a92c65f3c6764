import {
  DefinitionError,
  definitionFacts,
  definitionLines,
  GALLERY,
  makeOwnTrace,
  type OwnDefinition,
  ownParameters,
  ownStatementFromJson,
  type OwnStatementJson,
  type OwnTrace,
  readDefinition,
  StatementError,
  usableRowCount,
  WitnessError,
} from '@svc/stark-verifier';
import { wholeNumber } from './connection.js';
import { ExitCode, UsageError } from './exit-code.js';
import { readFileOrStdin, readJsonObject, readOperandFile } from './operand.js';
import { brokenTrace, proveLocally } from './prove-locally.js';
import { proveOrder, provingOptions, STATEMENT_PATHS } from './prove.verb.js';
import { columns } from './terminal.js';
import { textOption, type Verb, type VerbContext } from './verb.js';
import { AIR_TEXT, verifyVerb } from './verify.verb.js';

/** Of a statement that is bought. */
const SOLD_ROWS_MAX = 65_536;
/** What no definition can say of itself. */
const SAYS =
  'A proof shows that a trace exists which fulfils these constraints, and not that they mean what their names say.';

/** The bits of a number are so many columns that others are lost among them. */
const NAMES_SHOWN = 8;

/** What somebody who is to rely on a definition should look at. */
function remarks(definition: OwnDefinition): string[] {
  const { fixesNothing, showsNothing, zeroHolds, freeOfNext, given } = definitionFacts(definition);
  const list = (names: readonly string[]) =>
    names.length > NAMES_SHOWN + 1
      ? `${names.slice(0, NAMES_SHOWN).join(', ')} and ${names.length - NAMES_SHOWN} more`
      : names.join(', ');
  return [
    ...(fixesNothing ? ['no cell is fixed: any trace that keeps the constraints will do'] : []),
    ...(showsNothing ? ['nothing is public but the number of rows'] : []),
    ...(zeroHolds ? ['a trace of zeros fulfils it'] : []),
    ...(freeOfNext.length > 0 ? [`each row may hold other values: ${list(freeOfNext)}`] : []),
    ...(given.length > 0 ? [`the prover chooses: ${list(given)}`] : []),
  ];
}

function rowsOf(definition: OwnDefinition): (readonly [string, string])[] {
  const { id, field, degree, publicInputs } = definition;
  const facts = definitionFacts(definition);
  const counts = `${facts.columns} columns, ${facts.nodes} nodes, ${facts.constraints} constraints`;
  return [
    ['id', id],
    ['field', `${field}, degree ${degree}: ${counts}`],
    ['public', ['rows', ...publicInputs].join(', ')],
    ...remarks(definition).map(remark => ['look', remark] as const),
  ];
}

/** `a=1,b=2` as names and elements, which the reader of the statement looks at. */
function assigned(option: string, text: string): Record<string, string> {
  return Object.fromEntries(
    text.split(',').map(part => {
      const [name, value, ...more] = part.split('=');
      if (!name || !value || more.length > 0)
        throw new UsageError(`--${option} must be like a=1,b=2, got ${text.slice(0, 80)}`);
      return [name.trim(), value.trim()];
    }),
  );
}

/** What the options say of a statement; undefined where they say nothing. */
async function statementOf({ values }: VerbContext): Promise<OwnStatementJson | undefined> {
  const path = textOption(values, 'statement');
  const rows = wholeNumber('--rows', textOption(values, 'rows'), 1);
  const [start, inputs] = [textOption(values, 'start'), textOption(values, 'public')];
  const statement = {
    ...(path === undefined ? {} : readJsonObject(await readOperandFile(path), path)),
    ...(rows === undefined ? {} : { rows }),
    ...(start === undefined ? {} : { start: assigned('start', start) }),
    ...(inputs === undefined ? {} : { public: assigned('public', inputs) }),
  };
  return Object.keys(statement).length > 0 ? statement : undefined;
}

/** Makes the trace on this machine, as long as a hidden proof of the default set has it. */
function traceOf(definition: OwnDefinition, json: OwnStatementJson): OwnTrace & { readonly rows: number } {
  const statement = ownStatementFromJson(definition, json);
  const rowCount = usableRowCount(ownParameters(definition, statement.rows));
  return { ...makeOwnTrace(definition, statement, rowCount), rows: statement.rows };
}

/** Lines and members that say what the trace comes to, or where it breaks. */
function traceReport(definition: OwnDefinition, json: OwnStatementJson) {
  try {
    const { publicInputs, rows } = traceOf(definition, json);
    const values = Object.fromEntries(
      Object.entries(publicInputs).map(([name, value]) => [name, String(value)]),
    );
    const shown = Object.entries(values).map(([name, value]) => `${name} = ${value}`);
    return {
      holds: true,
      members: { rows, publicInputs: values },
      lines: [['holds', `of ${rows} rows: ${shown.join(', ')}`]] as const,
    };
  } catch (error) {
    if (error instanceof WitnessError) throw new UsageError(error.message);
    if (!(error instanceof StatementError)) throw error;
    const { members, line } = brokenTrace(error);
    return { holds: false, members, lines: [line] };
  }
}

function report(
  context: VerbContext,
  definition: OwnDefinition,
  json: OwnStatementJson | undefined,
): ExitCode {
  const [verb] = context.positionals;
  const { id, canonical, field } = definition;
  const constraints = definitionLines(definition);
  const trace = json && traceReport(definition, json);
  context.terminal.result(
    {
      ...{ valid: true, id, field, ...definitionFacts(definition) },
      ...(verb === 'show' && { air: canonical, constraints }),
      ...(trace && { holds: trace.holds, trace: trace.members }),
    },
    [
      ...columns([...rowsOf(definition), ...(trace?.lines ?? [])]),
      ...(verb === 'show' ? ['', ...constraints] : []),
      '',
      SAYS,
    ],
  );
  return trace?.holds === false ? ExitCode.failure : ExitCode.ok;
}

/** Buys a proof of a statement under a definition, and checks it here; or makes it here. */
function prove(
  context: VerbContext,
  definition: OwnDefinition,
  json: OwnStatementJson = {},
): Promise<ExitCode> {
  const { values } = context;
  if (values['local'] === true) return proveLocally(context, definition, json);
  if (typeof json.rows === 'number' && json.rows > SOLD_ROWS_MAX)
    throw new UsageError(`--rows is at most ${SOLD_ROWS_MAX} where a proof is bought: --local proves more`);
  // Nothing is paid for a trace that breaks.
  const trace = traceReport(definition, json);
  if (!trace.holds) {
    context.terminal.result({ holds: false, trace: trace.members }, columns([...trace.lines]));
    return Promise.resolve(ExitCode.failure);
  }
  const [parameterSet, friBlowup] = [
    textOption(values, 'set'),
    wholeNumber('--blowup', textOption(values, 'blowup'), 1),
  ];
  const body = {
    ...{ statement: 'own', air: definition.canonical, airId: definition.id, ...json },
    ...(parameterSet !== undefined && { parameterSet }),
    ...(friBlowup !== undefined && { friBlowup }),
    ...(values['open'] === true && { zeroKnowledge: false }),
  };
  return proveOrder(context, { path: STATEMENT_PATHS[definition.field], body });
}

/** `svc verify` of a file with its definition, held to the one that is named or that a file holds. */
async function verify(context: VerbContext): Promise<ExitCode> {
  const [, path] = context.positionals;
  const named = textOption(context.values, 'air');
  const read = named && !named.startsWith('air/') ? readDefinition(await textOf(named, context)) : undefined;
  const values = {
    ...context.values,
    ...(read && { air: read.id, [AIR_TEXT]: read.canonical }),
  };
  return verifyVerb.run({ ...context, positionals: [path], values });
}

const GALLERY_PREFIX = 'gallery/';

async function textOf(path: string, { streams }: VerbContext): Promise<string> {
  if (!path.startsWith(GALLERY_PREFIX))
    return Buffer.from(await readFileOrStdin(path, streams)).toString('utf8');
  const name = path.slice(GALLERY_PREFIX.length);
  if (Object.hasOwn(GALLERY, name)) return GALLERY[name]().json();
  throw new UsageError(`the gallery has ${Object.keys(GALLERY).join(', ')}, got ${name.slice(0, 80)}`);
}

async function run(context: VerbContext): Promise<ExitCode> {
  const [verb, path] = context.positionals;
  if (!VERBS.includes(verb))
    throw new UsageError(`svc air knows ${VERBS.join(', ')}, got ${verb.slice(0, 80)}`);
  try {
    if (verb === 'verify') return await verify(context);
    const definition = readDefinition(await textOf(path, context));
    const json = await statementOf(context);
    return verb === 'prove' ? await prove(context, definition, json) : report(context, definition, json);
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    const { code, path: place, reason, bound } = error;
    const fault = { code, path: place, reason, ...bound };
    context.terminal.result({ valid: false, ...fault }, [`REFUSED  ${code}: ${error.message}`]);
    return ExitCode.failure;
  }
}

const VERBS = ['check', 'show', 'prove', 'verify'];

export const airVerb: Verb = {
  name: 'air',
  summary: 'read, prove and verify a statement that somebody has written as JSON',
  operands: 'check|show|prove|verify FILE',
  positionalsMin: 2,
  positionalsMax: 2,
  options: {
    rows: { type: 'string', placeholder: 'N', help: 'rows that the statement speaks of' },
    start: {
      type: 'string',
      placeholder: 'A=1,B=2',
      help: 'row 0 of the columns that follow from the row before',
    },
    public: { type: 'string', placeholder: 'A=1,B=2', help: 'public inputs' },
    statement: {
      type: 'string',
      placeholder: 'FILE',
      help: 'JSON with rows, start, public, trace, filler and hints, as a request has them',
    },
    set: {
      type: 'string',
      placeholder: 'NAME',
      help: 'prove: the parameter set (default P100, over M31 m31)',
    },
    blowup: {
      type: 'string',
      placeholder: 'N',
      help: 'prove: FRI blowup factor: 2, 4, 8, 16 or 32 (default 8)',
    },
    open: { type: 'boolean', help: 'prove: without hiding the trace' },
    local: { type: 'boolean', help: 'prove: on this machine; nothing is sent, and nothing is paid' },
    air: { type: 'string', placeholder: 'ID|FILE', help: 'verify: the definition that you expect' },
    ...provingOptions,
  },
  notes: [
    'FILE holds a definition, air/1, and of verify a proof with its definition; - for stdin. gallery/mean, /balance, /score, /member and /controller are ours.',
    'check tells the id and what to look at, show the constraints too; with a statement both make its trace here and say where it breaks.',
    'prove buys the proof, and sends the trace; with --local, as with check and show, nothing is sent, and verify sends nothing unless told to.',
    '',
    'Examples:',
    '  svc air check ratio.air.json --rows 4 --start term=7,ratio=3',
    '  svc air prove ratio.air.json --rows 4 --start term=7,ratio=3 --save ratio.proof.json',
    '  svc air prove ratio.air.json --rows 1000000 --start term=7,ratio=3 --local --save ratio.proof.json',
    '  svc air verify ratio.proof.json --air ratio.air.json',
  ],
  run,
};

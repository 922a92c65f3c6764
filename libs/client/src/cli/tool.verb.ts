import { shownToolInput, TOOL_NAMES, toolDefinition } from '@svc/contracts';
import type { ToolName } from '../api-types.js';
import type { ToolAnswer } from '../tool/tool-methods.js';
import { type NamedProof, namesProof, verifyNamedProof, withNamedProof } from '../proof/named-proof.js';
import { type FurtherCheck, purchase, PURCHASE_NOTES, purchaseOptions } from './agent-purchase.js';
import { linesOf } from './api-command.js';
import { connectionOptions, openClient } from './connection.js';
import { ExitCode, UsageError } from './exit-code.js';
import { fetchNamedProof } from './fetch-named-proof.js';
import { printable } from './layout.js';
import { readJsonInput } from './operand.js';
import { columns } from './terminal.js';
import { textOption, type Verb, type VerbContext } from './verb.js';
import { comparedToRequest, statementRows } from './verify-named.js';

const isTool = (name: string): name is ToolName => (TOOL_NAMES as readonly string[]).includes(name);

/** The inputs of `--input`, or else of the file of `--request`. */
async function inputOf({ values, streams }: VerbContext): Promise<Record<string, unknown>> {
  const path = textOption(values, 'request');
  const text = textOption(values, 'input') ?? (path === undefined ? undefined : `@${path}`);
  return text === undefined ? {} : readJsonInput(text, streams);
}

/** What an answer shows: its evidence and its STARK have lines of their own, and a long list is counted. */
function lines({
  auditProof: _evidence,
  publicInputs,
  ...outputs
}: ToolAnswer): (readonly [string, string])[] {
  const short = Object.entries(outputs).map(([name, value]) =>
    Array.isArray(value) && value.length > LIST_LINES_MAX
      ? [name, `${value.length} (use --json or --save)`]
      : [name, value],
  );
  const shown = linesOf(Object.fromEntries(short) as Record<string, unknown>, '--json or --save FILE');
  return [...shown.map(line => ['', line] as const), ...statementRows(publicInputs)];
}

const LIST_LINES_MAX = 50;

async function run(context: VerbContext): Promise<ExitCode> {
  const [name] = context.positionals;
  // A gateway may sell tools that are newer than this command.
  if (!isTool(name) || context.values['price'] === true) {
    const { tools } = await catalogue(context);
    const listed = tools.find(tool => tool.name === name);
    if (listed === undefined) {
      const names = tools.map(tool => printable(String(tool.name))).join(', ');
      throw new UsageError(`there is no tool ${name.slice(0, 80)}; there are ${names}`);
    }
    if (context.values['price'] === true) return show(context, listed, [listed]);
  }
  const request = await inputOf(context);
  return purchase(context, {
    doing: name,
    ...(isTool(name) ? evidenceRequests(name, request) : { request }),
    buy: (client, options) => client.callTool(name as ToolName, request, options),
    lines,
    checkMore: data => checkStark(context, request, data),
  });
}

/** A request as the evidence of its answer speaks of it: with the published defaults; and what of it may be shown. */
function evidenceRequests(tool: ToolName, request: Readonly<Record<string, unknown>>) {
  const read = toolDefinition(tool).input.safeParse(request);
  const filled = read.success ? read.data : request;
  return { request: filled, shownRequest: shownToolInput(tool, filled) };
}

/** Fetches the STARK that an answer names, and holds it against what was asked for. */
async function checkStark(
  context: VerbContext,
  request: Readonly<Record<string, unknown>>,
  data: ToolAnswer,
): Promise<FurtherCheck | undefined> {
  if (!namesProof(data)) return undefined;
  let named: NamedProof;
  try {
    named = await fetchNamedProof(context, data.proofId);
  } catch (error) {
    context.signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    const unchecked = {
      lines: [['STARK', `not checked here: ${reason}`]],
      shown: { checkedStark: null },
    } as const;
    return { valid: true, ...unchecked, saved: {} };
  }
  const { verdict, compared } = comparedToRequest(withNamedProof(data, named), {
    request,
    verdict: verifyNamedProof(data, named),
  });
  const text = verdict.valid
    ? `valid, checked here: ${verdict.securityBits} bits proven; ${compared}`
    : `NOT VALID: ${verdict.reason}${verdict.detail === undefined ? '' : ` (${verdict.detail})`}`;
  const unstated = data['publicInputs'] === undefined ? statementRows(named.publicInputs) : [];
  const lines = [['STARK', text] as const, ...unstated];
  return { valid: verdict.valid, lines, shown: { checkedStark: verdict }, saved: { starkProof: named } };
}

/** A tool as the gateway lists it: nothing is taken for granted but that it is an object. */
interface ListedTool {
  readonly name?: unknown;
  readonly description?: unknown;
  readonly costUsd?: unknown;
  readonly inputSchema?: { readonly properties?: unknown; readonly required?: unknown } | null;
}

async function catalogue(context: VerbContext): Promise<{ data: object; tools: readonly ListedTool[] }> {
  const client = await openClient(context, 'free');
  const { data } = await client.request('GET' as string, '/mcp.json', { signal: context.signal });
  const { tools } = data;
  if (!Array.isArray(tools)) throw new UsageError(`${client.baseUrl}mcp.json has no list of tools`);
  return { data, tools: tools.filter(tool => typeof tool === 'object' && tool !== null) as ListedTool[] };
}

/** What tools take and cost, as the catalogue says it. */
function show({ terminal }: VerbContext, whole: object, tools: readonly ListedTool[]): ExitCode {
  const rows = tools.flatMap(({ name, description, costUsd, inputSchema }) => {
    const { properties, required } = inputSchema ?? {};
    const isRequired = (input: string) => Array.isArray(required) && required.includes(input);
    const inputs = Object.keys(Object(properties)).map(input => (isRequired(input) ? `${input}!` : input));
    const price = costUsd === undefined ? 'no price yet' : `${shown(costUsd, '')} USD`;
    return [
      [shown(name, 'no name'), [price, shown(description, '')].join('  ')] as const,
      ...(inputs.length > 0 ? [['', `takes ${printable(inputs.join(', '))}`] as const] : []),
    ];
  });
  terminal.result(whole, columns(rows));
  return ExitCode.ok;
}

const shown = (value: unknown, otherwise: string): string =>
  value === undefined || value === null ? otherwise : printable(String(value));

export const toolVerb: Verb = {
  name: 'tool',
  summary: 'call a tool of the catalogue',
  operands: 'NAME',
  positionalsMin: 1,
  positionalsMax: 1,
  options: {
    input: { type: 'string', placeholder: 'JSON', help: 'the inputs; @FILE reads a file, - stdin' },
    ...purchaseOptions,
  },
  notes: [
    ...PURCHASE_NOTES,
    'svc tools lists the tools with their inputs, an exclamation mark behind what is required.',
    'The STARK that an answer names is fetched and held against the request; one that is not of it exits with 4.',
    '',
    'Examples:',
    '  svc tool get_product_catalog',
    `  svc tool zk_prove_spatial --input '{"coordinates":[52.5,13.4]}' --save answer.json`,
  ],
  run,
};

export const toolsVerb: Verb = {
  name: 'tools',
  summary: 'list the tools of the catalogue with their prices',
  operands: '',
  positionalsMin: 0,
  positionalsMax: 0,
  options: connectionOptions,
  notes: ['With --json the whole catalogue, as GET /mcp.json has it: the schemas of inputs and outputs too.'],
  async run(context) {
    const { data, tools } = await catalogue(context);
    return show(context, data, tools);
  },
};

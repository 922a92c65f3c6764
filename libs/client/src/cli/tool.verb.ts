import { TOOL_NAMES, toolInputSchema } from '@svc/contracts';
import type { ToolName } from '../api-types.js';
import type { ToolAnswer } from '../tool/tool-methods.js';
import { purchase, PURCHASE_NOTES, purchaseOptions } from './agent-purchase.js';
import { linesOf } from './api-command.js';
import { connectionOptions, openClient } from './connection.js';
import { ExitCode, UsageError } from './exit-code.js';
import { readFileOrStdin, readJsonObject } from './operand.js';
import { columns } from './terminal.js';
import { textOption, type Verb, type VerbContext } from './verb.js';

const isTool = (name: string): name is ToolName => (TOOL_NAMES as readonly string[]).includes(name);

/** The inputs of `--input`: JSON, or a file of it behind `@`, or stdin for `-`. */
async function inputOf({ values, streams }: VerbContext): Promise<Record<string, unknown>> {
  const text = textOption(values, 'input') ?? textOption(values, 'request');
  if (text === undefined) return {};
  const isFile = text === '-' || text.startsWith('@') || textOption(values, 'input') === undefined;
  if (!isFile) return readJsonObject(Buffer.from(text), '--input');
  const path = text.replace(/^@/, '');
  return readJsonObject(await readFileOrStdin(path, streams), path);
}

/** What an answer shows: its evidence has lines of its own, and a long list is counted. */
function lines({ auditProof: _evidence, ...outputs }: ToolAnswer): (readonly [string, string])[] {
  const short = Object.entries(outputs).map(([name, value]) =>
    Array.isArray(value) && value.length > LIST_LINES_MAX
      ? [name, `${value.length} (use --json or --save)`]
      : [name, value],
  );
  return linesOf(Object.fromEntries(short) as Record<string, unknown>).map(line => ['', line] as const);
}

const LIST_LINES_MAX = 50;

async function run(context: VerbContext): Promise<ExitCode> {
  const [name] = context.positionals;
  if (!isTool(name)) {
    throw new UsageError(`there is no tool ${name.slice(0, 80)}; there are ${TOOL_NAMES.join(', ')}`);
  }
  if (context.values['price'] === true) return show(context, name);
  const request = await inputOf(context);
  return purchase(context, {
    doing: name,
    request,
    buy: (client, options) => client.callTool(name, request, options),
    lines,
  });
}

/** What one tool takes and costs, or all of them. */
async function show(context: VerbContext, only?: ToolName): Promise<ExitCode> {
  const client = await openClient(context, 'free');
  const { data } = await client.request('GET' as string, '/mcp.json', { signal: context.signal });
  const { tools } = data as {
    tools: { name: ToolName; description: string; costUsd: string }[];
  };
  const shown = tools.filter(({ name }) => only === undefined || name === only);
  const rows = shown.flatMap(({ name, description, costUsd }) => {
    const { properties, required = [] } = toolInputSchema(name);
    const inputs = Object.keys(properties).map(input => (required.includes(input) ? `${input}!` : input));
    return [
      [name, `${costUsd} USD  ${description}`] as const,
      ...(inputs.length > 0 ? [['', `takes ${inputs.join(', ')}`] as const] : []),
    ];
  });
  context.terminal.result(only === undefined ? data : { ...shown[0] }, columns(rows));
  return ExitCode.ok;
}

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
  run: context => show(context),
};

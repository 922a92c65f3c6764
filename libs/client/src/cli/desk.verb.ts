import type { Client } from '../client.js';
import type { Answer, CallOptions } from '../paid-call.js';
import type { DepartmentTask, DepartmentTaskRequest } from '../api-types.js';
import { given } from './agent-purchase.js';
import { linesOf } from './api-command.js';
import { type Paid, paidOf } from './charge.js';
import { connectionOptions, openClient, PAYMENT_NOTES, paymentOptions, wholeNumber } from './connection.js';
import { ExitCode, UsageError } from './exit-code.js';
import { printable } from './layout.js';
import { type Attempt, buyAndUse } from './kept-purchase.js';
import { readJsonInput } from './operand.js';
import { mustBeWritable, saveJson } from './paid-answer.js';
import { columns } from './terminal.js';
import { textOption, type Verb, type VerbContext } from './verb.js';

async function list(context: VerbContext): Promise<ExitCode> {
  const client = await openClient(context, 'free');
  const { data } = await client.departments({ signal: context.signal });
  const rows = data.departments.flatMap(
    ({ deptId, status = 'of no status', capabilities = [], priceUsd = {} }) => {
      const desk = printable(`${deptId} ${status}`);
      const lines = [...capabilities].map(name => `${printable(String(name))}  ${priceText(priceUsd[name])}`);
      return (lines.length > 0 ? lines : ['lists nothing']).map(
        (line, i) => [i === 0 ? desk : '', line] as const,
      );
    },
  );
  context.terminal.result(data, columns(rows));
  return ExitCode.ok;
}

const priceText = (usd: string | undefined) => (usd === undefined ? 'no price yet' : `${usd} USD`);

export const desksVerb: Verb = {
  name: 'desks',
  summary: 'list the desks, what they do and what it costs',
  operands: '',
  positionalsMin: 0,
  positionalsMax: 0,
  options: connectionOptions,
  notes: ['With --json the inputs that each capability takes, too.'],
  run: list,
};

async function give(context: VerbContext, deptId: string): Promise<ExitCode> {
  const { values } = context;
  const input = textOption(values, 'input');
  const body = {
    ...given({
      capability: textOption(values, 'capability'),
      priority: textOption(values, 'priority'),
      deadlineMs: wholeNumber('--deadline', textOption(values, 'deadline'), 100),
      callbackUrl: textOption(values, 'callback'),
    }),
    task: input === undefined ? {} : await readJsonInput(input, context.streams),
  } as DepartmentTaskRequest;
  const waitSeconds = wholeNumber('--wait', textOption(values, 'wait'), 0);
  const order = {
    doing: `desk ${deptId}`,
    files: [textOption(values, 'output')],
    buy: (client: Client, options: CallOptions) =>
      client.submitTask(deptId, body, { ...options, waitSeconds }),
  };
  return buyAndUse(context, order, async ({ answer, attempt }) =>
    show(context, answer, (await paidOf(context, answer)).lines, attempt),
  );
}

async function ask(context: VerbContext, verb: 'show' | 'cancel'): Promise<ExitCode> {
  const [, deptId, taskId] = context.positionals;
  if (taskId === undefined) throw new UsageError(`svc task ${verb} takes DESK and TASK_ID`);
  const { signal, values } = context;
  const output = textOption(values, 'output');
  if (output !== undefined) await mustBeWritable(output);
  const client = await openClient(context, 'free');
  const answer = await (verb === 'show'
    ? client.task(deptId, taskId, { signal })
    : client.cancelTask(deptId, taskId, { signal }));
  return show(context, answer, [], step => step());
}

async function show(
  { terminal, values }: VerbContext,
  { data }: Answer<DepartmentTask>,
  paid: Paid['lines'],
  attempt: Attempt,
): Promise<ExitCode> {
  const { result, problem, ...task } = data;
  const saved = await attempt(() => saveJson(textOption(values, 'output'), data));
  const whole = saved ?? '--json or --output FILE';
  terminal.result(data, [
    ...linesOf({ ...task, ...(problem && { problem: `${problem.code}: ${problem.detail}` }) }, whole),
    ...(paid.length > 0 ? columns(paid) : []),
    ...(result ? linesOf(result, whole) : []),
  ]);
  return data.status === 'FAILED' || data.status === 'EXPIRED' ? ExitCode.failure : ExitCode.ok;
}

function run(context: VerbContext): Promise<ExitCode> {
  const [first, ...more] = context.positionals;
  if (first === 'show' || first === 'cancel') return ask(context, first);
  if (more.length > 0) throw new UsageError('svc task takes one DESK, or show or cancel, DESK and TASK_ID');
  return give(context, first);
}

export const taskVerb: Verb = {
  name: 'task',
  summary: 'give a desk a task; show or cancel one',
  operands: 'DESK | show DESK TASK_ID | cancel DESK TASK_ID',
  positionalsMin: 1,
  positionalsMax: 3,
  options: {
    capability: {
      type: 'string',
      placeholder: 'NAME',
      help: 'what is to be done (default: the first of the desk)',
    },
    input: { type: 'string', placeholder: 'JSON', help: 'its inputs; @FILE reads a file, - stdin' },
    wait: {
      type: 'string',
      placeholder: 'SECONDS',
      help: 'wait so long for its end (default 2, at most 25; 0: not)',
    },
    priority: { type: 'string', placeholder: 'NAME', help: 'low, normal or high (default normal)' },
    deadline: { type: 'string', placeholder: 'MS', help: 'milliseconds after which it is not begun' },
    callback: {
      type: 'string',
      placeholder: 'URL',
      help: 'https address that is called once it has ended, signed',
    },
    output: { type: 'string', short: 'o', placeholder: 'FILE', help: 'write the whole task to it, as JSON' },
    ...paymentOptions,
    ...connectionOptions,
  },
  notes: [
    ...PAYMENT_NOTES,
    'A task that ends without an answer is not paid for, and exits with 1. svc desks lists the desks.',
    'Long values are cut for the eye; --json prints them, and --output keeps them.',
    '',
    'Examples:',
    `  svc task proofs --capability zk.prove --input '{"traceData":"hello","degree":1024}' --wait 20`,
    '  svc task show proofs tsk_…',
  ],
  run,
};

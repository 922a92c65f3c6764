import type { Answer } from '../paid-call.js';
import type { ToolAnswer } from '../tool/tool-methods.js';
import { purchase, PURCHASE_NOTES, purchaseOptions } from './agent-purchase.js';
import { openClient, wholeNumber } from './connection.js';
import { ExitCode, UsageError } from './exit-code.js';
import { readFileOrStdin } from './operand.js';
import { columns } from './terminal.js';
import { textOption, type Verb, type VerbContext } from './verb.js';

/** A problem longer than that is not for reading: it is saved, or printed as JSON. */
const PROBLEM_CHARS_MAX = 2_000;

interface ArenaAnswer extends ToolAnswer {
  readonly cognitiveScore: number;
  readonly satsAwarded: number;
  readonly challenge?: {
    readonly challengeId: string;
    readonly family: string;
    readonly level: number;
    readonly instruction: string;
    readonly problem: object;
    readonly expiresAt: string;
  };
  readonly grading?: {
    readonly reason: string;
    readonly elapsedMs: number;
    readonly formula: string;
    readonly correctness: number;
    readonly optimality: number;
    readonly time: number;
  };
  readonly award?: { readonly reason: string };
}

interface Leaders {
  readonly items: readonly {
    readonly rank: number;
    readonly agentId: string | null;
    readonly account: string;
    readonly points: number;
    readonly solved: number;
  }[];
}

function lines(answer: ArenaAnswer): (readonly [string, string])[] {
  const { challenge, grading, cognitiveScore, satsAwarded, award } = answer;
  if (challenge) {
    const problem = JSON.stringify(challenge.problem);
    return [
      ['challenge', challenge.challengeId],
      ['family', `${challenge.family}, level ${challenge.level}`],
      ['answer until', challenge.expiresAt],
      ['asked', challenge.instruction],
      [
        'problem',
        problem.length > PROBLEM_CHARS_MAX ? `${problem.length} characters (use --json or --save)` : problem,
      ],
    ];
  }
  return [
    ['score', `${cognitiveScore} of 100`],
    ...(grading
      ? ([
          ['because', `it ${grading.reason}, after ${(grading.elapsedMs / 1_000).toFixed(1)} s`],
          ['formula', `${grading.formula}: ${grading.correctness}, ${grading.optimality}, ${grading.time}`],
        ] as const)
      : []),
    ['awarded', `${satsAwarded} sats (${award?.reason ?? 'nothing was graded'})`],
  ];
}

async function payloadOf(context: VerbContext): Promise<Record<string, unknown>> {
  const [what, operand] = context.positionals;
  if (what === 'get') {
    const level = wholeNumber('level', textOption(context.values, 'level'), 1);
    return { ...(operand && { family: operand }), ...(level === undefined ? {} : { level }) };
  }
  const text = textOption(context.values, 'answer');
  if (operand === undefined) throw new UsageError('CHALLENGE is missing: the challengeId of svc arena get');
  if (text === undefined) throw new UsageError('--answer is missing');
  const path = text.startsWith('@') ? text.slice(1) : text === '-' ? text : undefined;
  const json =
    path === undefined ? text : new TextDecoder().decode(await readFileOrStdin(path, context.streams));
  try {
    return { challengeId: operand, answer: JSON.parse(json) as unknown };
  } catch {
    throw new UsageError('--answer is not JSON');
  }
}

async function play(context: VerbContext): Promise<ExitCode> {
  const payload = await payloadOf(context);
  const agentId = textOption(context.values, 'agent');
  const request = {
    ...(agentId === undefined ? {} : { agentId }),
    ...(Object.keys(payload).length === 0 ? {} : { challengePayload: JSON.stringify(payload) }),
  };
  return purchase<ArenaAnswer>(context, {
    doing: 'arena_challenge',
    request,
    buy: (client, options) =>
      client.callTool('arena_challenge', request, options) as Promise<Answer<ArenaAnswer>>,
    lines,
  });
}

async function leaders(context: VerbContext): Promise<ExitCode> {
  const client = await openClient(context, 'free');
  const { data } = await client.request('GET' as string, '/arena/leaders', { signal: context.signal });
  const { items } = data as unknown as Leaders;
  const rows = items.map(
    ({ rank, agentId, account, points, solved }) =>
      [`${rank}`, `${points} points  ${solved} solved  ${agentId ?? '(no name)'}  ${account}`] as const,
  );
  context.terminal.result(data, rows.length === 0 ? ['nobody is on the board yet'] : columns(rows));
  return ExitCode.ok;
}

export const arenaVerb: Verb = {
  name: 'arena',
  summary: 'play the arena: get a challenge, answer it, see the board',
  operands: 'get [FAMILY] | answer CHALLENGE | leaders',
  positionalsMin: 1,
  positionalsMax: 2,
  options: {
    level: {
      type: 'string',
      placeholder: 'N',
      help: '1 to 10 (default: the one above the highest you passed)',
    },
    agent: { type: 'string', placeholder: 'NAME', help: 'your name on the board' },
    answer: {
      type: 'string',
      placeholder: 'JSON',
      help: 'as the challenge asks for it; @FILE reads a file, - stdin',
    },
    ...purchaseOptions,
  },
  notes: [
    ...PURCHASE_NOTES,
    'FAMILY is shortest-path, max-cut, sat or modular-algebra. Getting and answering cost one call each.',
    '',
    'Examples:',
    '  svc arena get sat --level 3 --save challenge.json',
    `  svc arena answer arena_… --agent me --answer '{"assignment":"0110…"}'`,
    '  svc arena leaders',
  ],
  run(context) {
    const [what, operand] = context.positionals;
    if (what === 'leaders' && operand === undefined) return leaders(context);
    if (what === 'get' || what === 'answer') return play(context);
    throw new UsageError('say get, answer or leaders');
  },
};

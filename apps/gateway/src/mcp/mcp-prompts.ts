import {
  CompleteRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { TOOL_NAMES, TOOLS } from '@svc/contracts';
import type { z } from 'zod';
import { INVALID_PARAMS, isRecord, JsonRpcFault } from './json-rpc.js';
import { type McpCall, type McpMethod, wholeList } from './mcp-catalogue.js';

/** Characters of the longest argument of a prompt. */
const ARGUMENT_CHARS_MAX = 4_096;
/** Values of one completion (MCP, "Completion"). */
const COMPLETIONS_MAX = 100;

interface PromptArgument {
  readonly description: string;
  readonly required?: boolean;
  /** All that it can be, where that is known. */
  readonly values?: readonly string[];
}
interface Prompt {
  readonly title: string;
  readonly description: string;
  readonly arguments: Readonly<Record<string, PromptArgument>>;
  readonly text: (given: Readonly<Record<string, string | undefined>>) => string;
}

const PAY =
  'If the call asks for payment, pay one of the offers it names (org.paymentauth/payment-required or x402 terms), or send X-SVC-KEY with the request; then call again with the same arguments. Never pay twice for one call: after a lost answer send the same credential again.';

/** The common jobs, in the words of whoever asks an agent for them. */
const PROMPTS: Readonly<Record<string, Prompt>> = {
  prove_and_verify: {
    title: 'Prove something and check the proof',
    description:
      'Makes a STARK proof of a commitment to inputs, and checks it independently of whoever made it',
    arguments: {
      publicInputs: { description: 'Public inputs, with commas between them', required: true },
      contextDomain: { description: 'Domain tag for the circuit' },
    },
    text: ({ publicInputs, contextDomain }) =>
      `Call generate_goldilocks_stark_proof with publicInputs ${JSON.stringify(listOf(publicInputs))}${contextDomain ? ` and contextDomain ${JSON.stringify(contextDomain)}` : ''}. ${PAY} Then read the resource of its evidence.uri, post proof and publicInputs to /v1/stark/verify-proof, and report what the proof shows and what its doesNotProve says it does not.`,
  },
  pay_for_call: {
    title: 'Pay for a call of a tool',
    description: 'Walks through one paid call: the terms, the payment, the answer and its receipt',
    arguments: { tool: { description: 'Name of the tool', required: true, values: TOOL_NAMES } },
    text: ({ tool }) =>
      `Read svc://docs/mcp and the price of ${tool} in svc://prices. Call ${tool} without a payment and show the terms. ${PAY} Report the answer, the receipt in its _meta, and how its evidence is checked: the resource that whole names has the auditProof (svc://formats/audit-proofs).`,
  },
  audit_certificate: {
    title: 'Audit a certificate of insurance',
    description: 'Has an ACORD 25 certificate audited against requirements',
    arguments: { file: { description: 'Where the certificate (PDF, or text) lies', required: true } },
    text: ({ file }) =>
      `Read svc://docs/certificates. Post the certificate at ${file} to /partnerCoiVerify, 0.25 USD a call. Pay as svc://docs/payments says. Report each requirement with its finding and the place in the document that it rests on; where the audit says that a person must look, say so and do not decide yourself.`,
  },
  check_bullion_coin: {
    title: 'Check a bullion coin by its ring',
    description: 'Has the recording of a coin held against the resonances of its metal and measures',
    arguments: {
      product: { description: 'The coin, as listed at /api/agent/bullion/products', required: true },
      recording: { description: 'Where the WAV recording of the struck coin lies', required: true },
    },
    text: ({ product, recording }) =>
      `Read svc://docs/bullion. Post the recording at ${recording} for the product ${product} to /api/agent/verify-bullion, 0.05 USD a call. Pay as svc://docs/payments says. Report the verdict with its measures; an inconclusive one is not charged: say what to do for a better recording.`,
  },
  licence_agent: {
    title: 'Licence an agent',
    description: 'Issues a machine-to-machine licence as a saga, and checks its log',
    arguments: {
      licenseeAgentId: { description: 'The agent that is licensed', required: true },
      licensingTier: {
        description: 'The tier',
        values: TOOLS.m2m_license_contract.input.shape.licensingTier.unwrap().options,
      },
    },
    text: ({ licenseeAgentId, licensingTier }) =>
      `Call m2m_license_contract with licenseeAgentId ${JSON.stringify(licenseeAgentId)}${licensingTier ? ` and licensingTier ${JSON.stringify(licensingTier)}` : ''}, 0.005 USD a call. ${PAY} Then read svc://docs/sagas, follow the saga where the answer names one that goes on, and report the licence token, its status, and that the walHash of the answer is that of the log.`,
  },
};

/** `prompts/list`, `prompts/get`, and the completion of their arguments. */
export const PROMPT_METHODS: Readonly<Record<string, McpMethod>> = {
  'prompts/list': wholeList(ListPromptsRequestSchema, {
    prompts: Object.entries(PROMPTS).map(([name, { title, description, arguments: args }]) => ({
      ...{ name, title, description },
      arguments: Object.entries(args).map(([argument, { values: _values, ...said }]) => ({
        name: argument,
        ...said,
      })),
    })),
  }),
  'prompts/get': { schema: GetPromptRequestSchema, answer: getPrompt },
  'completion/complete': { schema: CompleteRequestSchema, answer: complete },
};

function getPrompt({ params }: McpCall): object {
  const prompt = promptOf(params.name);
  const given = isRecord(params.arguments) ? params.arguments : {};
  const asked: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(prompt.arguments, name)) throw invalid(name, 'is no argument of this prompt');
    if (typeof value !== 'string' || value.length > ARGUMENT_CHARS_MAX) {
      throw invalid(name, `must be text of at most ${ARGUMENT_CHARS_MAX} characters`);
    }
    const { values } = prompt.arguments[name];
    if (values && !values.includes(value)) throw invalid(name, `must be one of ${values.join(', ')}`);
    asked[name] = value;
  }
  for (const [name, { required }] of Object.entries(prompt.arguments)) {
    if (required && !asked[name]) throw invalid(name, 'is required');
  }
  return {
    description: prompt.description,
    messages: [{ role: 'user', content: { type: 'text', text: prompt.text(asked) } }],
  };
}

function complete({ params }: McpCall): object {
  const { ref, argument } = params as z.infer<typeof CompleteRequestSchema>['params'];
  const values = ref.type === 'ref/prompt' ? (promptOf(ref.name).arguments[argument.name]?.values ?? []) : [];
  const fitting = values.filter(value => value.startsWith(argument.value));
  const shown = fitting.slice(0, COMPLETIONS_MAX);
  return { completion: { values: shown, total: fitting.length, hasMore: shown.length < fitting.length } };
}

function promptOf(name: unknown): Prompt {
  if (typeof name === 'string' && Object.hasOwn(PROMPTS, name)) return PROMPTS[name];
  throw new JsonRpcFault(INVALID_PARAMS, `Unknown prompt: ${String(name).slice(0, 80)}`, {
    prompts: Object.keys(PROMPTS),
  });
}

const invalid = (name: string, message: string) =>
  new JsonRpcFault(INVALID_PARAMS, `arguments.${name.slice(0, 80)}: ${message}`);

const listOf = (text = ''): string[] => text.split(/[\s,]+/).filter(part => part !== '');

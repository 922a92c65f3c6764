import type { ResourceLink } from '@modelcontextprotocol/sdk/types.js';
import { Injectable } from '@nestjs/common';
import { proverContract } from '@svc/contracts';
import { BusClient } from '@svc/platform';
import { fittedAnswer } from './fitted-answer.js';
import { isRecord } from './json-rpc.js';
import type { McpTool } from './mcp-tool.js';
import type { ToolReplyHead } from './tool-request.js';
import { decode } from './payment-terms.js';

/** What the addresses of records begin with; their ids follow. */
export const PROOF_URI = 'svc://proofs/';
export const SAGA_URI = 'svc://sagas/';
export const ANSWER_URI = 'svc://answers/';

/** Characters of what a call puts into the context of a model: the text of its answer, and the link to its proof. */
const RESULT_CHARS_MAX = 2_000;

type Json = Record<string, unknown>;

/** Which proof covers an answer. Its length and hash are absent while the prover does not answer. */
interface LinkedEvidence {
  readonly root: string;
  /** None where the root is signed and not proved. */
  readonly proofId?: string;
  readonly uri?: string;
  readonly bytes?: number;
  readonly sha256?: string;
}

/** An answer as it is given by default, and the link to what covers it. */
export interface LinkedAnswer {
  readonly content: Json;
  readonly link?: ResourceLink;
}

/** Members that repeat what the resource of the proof has, or that the whole answer alone has. */
const LEFT_OUT = [
  ...['auditProof', 'proofId', 'airId', 'publicInputs', 'contextDomain', 'checkpoint'],
  ...['disclosure', 'disclosureProof'],
];
/** Members beside the outputs that are never left out. */
const KEPT = ['evidence', 'whole', 'opening', 'sagaId', 'starkRoot'];

/**
 * Makes of a whole answer one that fits the context of a model: the outputs, and which proof covers them in place of the evidence
 * itself.
 */
@Injectable()
export class LinkedAnswers {
  constructor(private readonly bus: BusClient) {}

  /**
   * @param tool whose answer it is
   * @param answer the whole one, which is changed
   */
  async of(tool: McpTool, answer: Json, head: ToolReplyHead): Promise<LinkedAnswer> {
    const { kept: required, first } = tool;
    const [evidence, outputs] = await Promise.all([
      this.evidenceOf(answer),
      this.withLinks(outputsOf(tool.arranged?.(answer) ?? answer)),
    ]);
    const whole = wholeUriOf(answer, head);
    // The newest root is told once.
    if (outputs.starkRoot === evidence?.root) delete outputs.starkRoot;
    const content = {
      ...outputs,
      ...(evidence ? { evidence } : {}),
      ...(whole === undefined ? {} : { whole }),
    };
    const link = evidence?.uri === undefined ? undefined : linkTo(evidence.uri);
    const charsMax = RESULT_CHARS_MAX - (link ? JSON.stringify(link).length : 0);
    const kept = new Set([...required, ...KEPT]);
    return { content: fittedAnswer(content, charsMax, kept, new Set(first)), link };
  }

  /** Members that have evidence of their own, such as a grading, with which proof that is. */
  private async withLinks(outputs: Json): Promise<Json> {
    const members = Object.entries(outputs).map(async ([name, member]): Promise<[string, unknown]> => {
      if (!isRecord(member) || !isRecord(member.auditProof)) return [name, member];
      const { auditProof: _whole, ...rest } = member;
      return [name, { ...rest, evidence: await this.evidenceOf(member) }];
    });
    return Object.fromEntries(await Promise.all(members));
  }

  /** Of the proof that a tool made; else of that which covers its answer. */
  private async evidenceOf({
    auditProof,
    proofId: own,
    starkRootCommitment,
    starkRoot = starkRootCommitment,
  }: Json): Promise<LinkedEvidence | undefined> {
    if (!isRecord(auditProof)) return undefined;
    const root = String(own === undefined ? auditProof.root : starkRoot);
    const proofId = own ?? auditProof.proofId;
    if (typeof proofId !== 'string') return { root };
    // That a length is not there now is no matter of the answer, which is paid for.
    const digest = await this.bus.call(proverContract.proofDigest, { proofId }).catch(() => ({}));
    return { proofId, root, uri: PROOF_URI + proofId, ...digest };
  }
}

const outputsOf = (answer: Json): Json =>
  Object.fromEntries(Object.entries(answer).filter(([name]) => !LEFT_OUT.includes(name)));

/** Where the whole answer is read by whose key has paid for it; another payer sends the payment again. */
function wholeUriOf({ sagaId }: Json, head: ToolReplyHead): string | undefined {
  const receipt = decode(head.line('payment-receipt'), 'base64url');
  if (receipt?.method !== 'svc-key') return undefined;
  return typeof sagaId === 'string' ? SAGA_URI + sagaId : ANSWER_URI + String(receipt.reference);
}

const linkTo = (uri: string): ResourceLink => ({
  ...{ type: 'resource_link', uri, name: 'proof', mimeType: 'application/json' },
});

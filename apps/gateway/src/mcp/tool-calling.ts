import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { Injectable } from '@nestjs/common';
import { type ProblemDetails, toolsRoutes } from '@svc/contracts';
import { originOf, pauseRefusal } from '@svc/edge';
import { asProblem, currentTrace, problemDetails, type ProblemError } from '@svc/platform';
import { SIGNED_RECEIPT_HEADER } from '@svc/protocols';
import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  isRecord,
  JsonRpcFault,
  PAYMENT_REQUIRED,
  PAYMENT_VERIFICATION_FAILED,
} from './json-rpc.js';
import { LinkedAnswers } from './linked-answer.js';
import type { McpCall } from './mcp-catalogue.js';
import type { McpTool } from './mcp-tool.js';
import { McpTools } from './mcp-tools.js';
import { decode, paymentErrorData, type PaymentTerms, paymentTermsOf } from './payment-terms.js';
import {
  challengeIdOf,
  PAYMENT_CREDENTIAL_META,
  toolRequest,
  ToolReplyHead,
  wantsWholeAnswer,
  X402_PAYMENT_META,
} from './tool-request.js';

/** Keys below `_meta` of a result. */
const RECEIPT_META = 'org.paymentauth/receipt';
const PAYMENT_REQUIRED_META = 'org.paymentauth/payment-required';
const X402_RESPONSE_META = 'x402/payment-response';
/** What this house says beside: what is left, the key on which the rest of a payment lies, the signed receipt, and where work goes on. */
const CREDIT_META = 'svc/credit';
/** What of the payment was refunded, where the answer is given again. */
const REFUND_META = 'svc/refund';
const CREDIT_KEY_META = 'svc/credit-key';
const SIGNED_RECEIPT_META = 'svc/receipt';
const LOCATION_META = 'svc/location';

const VERSION_HEADER = 'mcp-protocol-version';
/** The version of the protocol that brought links; clients of an older one take a result that has a link for none. */
const LINKS_SINCE = '2025-06-18';

/** `tools/call`: sells a call as `POST /v1/tools/:name` does, and says in MCP's words what became of it. */
@Injectable()
export class ToolCalling {
  constructor(
    private readonly tools: McpTools,
    private readonly linked: LinkedAnswers,
  ) {}

  /** @throws JsonRpcFault for what is no call of a tool, and for a payment where its client speaks the `Payment` scheme */
  async call(call: McpCall): Promise<CallToolResult> {
    const { name, arguments: input } = call.params;
    const tool = this.tools.byName.get(String(name));
    if (!tool) {
      const message = `Unknown tool: ${String(name).slice(0, 80)}`;
      throw new JsonRpcFault(INVALID_PARAMS, message, { tools: [...this.tools.byName.keys()] });
    }
    const head = new ToolReplyHead(call.reply);
    try {
      const isWhole = wantsWholeAnswer(call.meta);
      const request = toolRequest(call.request, tool.pathOf?.(input) ?? tool.path, input, call.meta);
      const body = await tool.answer(input, request, head.asReply(), {
        signal: call.signal,
        ...(call.progressToken === undefined ? {} : { onProgress: step => void tell(call, step) }),
      });
      return await this.resultOf(tool, body, head, call, isWhole);
    } catch (error) {
      const failure = asProblem(error);
      await pauseRefusal(call.request, call.reply, failure.status);
      return refusalOf(failure, error, head, call, tool);
    }
  }

  /** The answer, whole or as it fits: both are views of the one that was sold. */
  private async resultOf(
    tool: McpTool,
    body: Buffer,
    head: ToolReplyHead,
    call: McpCall,
    isWhole: boolean,
  ): Promise<CallToolResult> {
    const text = body.toString('utf8');
    const answer = JSON.parse(text) as Record<string, unknown>;
    if (head.statusCode === 402) return paymentRefusal(answer as ProblemDetails, head, call);
    const { content, link } = isWhole ? { content: answer } : await this.linked.of(tool, answer, head);
    const said: CallToolResult['content'] = [
      { type: 'text', text: isWhole ? text : JSON.stringify(content) },
    ];
    if (link && knowsLinks(call)) said.push(link);
    const meta = paidMeta(head, call.meta);
    const result = { content: said, ...(meta ? { _meta: meta } : {}) };
    if (head.statusCode === 200) return { ...result, structuredContent: content };
    // The work goes on, so that the outputs are not there yet: no error of the tool, and no result of it either.
    return { ...result, isError: true, _meta: { ...meta, [LOCATION_META]: head.line('location') } };
  }
}

/** A client that names no version speaks one that is older than the header, and than links. */
const knowsLinks = ({ request }: McpCall): boolean =>
  String(request.headers[VERSION_HEADER] ?? '') >= LINKS_SINCE;

/** That the client does not hear of progress is no matter of the call. */
function tell(
  { progressToken, notify }: McpCall,
  step: { progress: number; total?: number; message?: string },
): Promise<void> {
  const params = { progressToken: progressToken!, ...step };
  return notify({ method: 'notifications/progress', params }).catch(() => undefined);
}

/** What a delivered answer says of its payment. */
function paidMeta(
  head: ToolReplyHead,
  asked: Readonly<Record<string, unknown>>,
): Record<string, unknown> | undefined {
  const meta: Record<string, unknown> = {};
  const challengeId = challengeIdOf(asked);
  const receipt = challengeId === undefined ? undefined : decode(head.line('payment-receipt'), 'base64url');
  if (receipt) meta[RECEIPT_META] = { challengeId, ...receipt };
  const settled = decode(head.line('payment-response') ?? head.line('x-payment-response'), 'base64');
  if (settled) meta[X402_RESPONSE_META] = settled;
  const signed = head.line(SIGNED_RECEIPT_HEADER);
  if (signed !== undefined) meta[SIGNED_RECEIPT_META] = signed;
  const credit = head.line('svc-credit');
  if (credit !== undefined) meta[CREDIT_META] = credit;
  const refunded = head.line('svc-refund');
  if (refunded !== undefined) meta[REFUND_META] = refunded;
  const creditKey = head.line('x-svc-key');
  if (creditKey !== undefined) meta[CREDIT_KEY_META] = creditKey;
  return Object.keys(meta).length > 0 ? meta : undefined;
}

/** What a failed call is told as. */
function refusalOf(
  failure: ProblemError,
  error: unknown,
  head: ToolReplyHead,
  call: McpCall,
  { path: instance }: McpTool,
): CallToolResult {
  // An unknown error is logged by whoever answers the message, and says nothing of itself.
  if (failure.code === 'INTERNAL' && failure !== error) throw error;
  const { traceId } = currentTrace();
  const context = { instance, origin: originOf(call.request), traceId };
  const details = problemDetails(failure, context);
  if (failure.code === 'VALIDATION_FAILED') {
    throw new JsonRpcFault(INVALID_PARAMS, details.detail, { problem: details });
  }
  if (failure.status === 402) return paymentRefusal(details, head, call);
  if (failure.code === 'SETTLEMENT_UNKNOWN' && speaksPayment(call)) {
    throw new JsonRpcFault(INTERNAL_ERROR, details.detail, { problem: details });
  }
  return problemResult(details, paidMeta(head, {}));
}

/**
 * A call that is not paid for. Clients that have said that they speak the `Payment` scheme get its error; others a result that
 * holds the terms of both bindings, of which each kind of client reads its own.
 */
function paymentRefusal(details: ProblemDetails, head: ToolReplyHead, call: McpCall): CallToolResult {
  const terms = paymentTermsOf(head);
  const isFailure = PAYMENT_CREDENTIAL_META in call.meta;
  const data = paymentErrorData(terms, details, isFailure);
  const isUnread = isFailure && details.code === 'PAYMENT_MALFORMED';
  // What cannot be read has asked for no terms yet, so that there may be none to tell.
  if (isUnread || (speaksPayment(call) && terms.challenges.length > 0)) {
    throw paymentError(details, data, isFailure);
  }
  const isX402 = terms.x402 !== undefined;
  const structuredContent = isX402 ? x402Terms(terms, details, head, call) : { problem: details };
  return {
    isError: true,
    structuredContent,
    content: [
      { type: 'text', text: JSON.stringify(structuredContent) },
      ...(isX402 ? [{ type: 'text' as const, text: JSON.stringify(details) }] : []),
    ],
    ...(terms.challenges.length > 0 ? { _meta: { [PAYMENT_REQUIRED_META]: data } } : {}),
  };
}

function paymentError(details: ProblemDetails, data: object, isFailure: boolean): JsonRpcFault {
  if (details.code === 'PAYMENT_MALFORMED') return new JsonRpcFault(INVALID_PARAMS, details.detail, data);
  return isFailure
    ? new JsonRpcFault(PAYMENT_VERIFICATION_FAILED, 'Payment Verification Failed', data)
    : new JsonRpcFault(PAYMENT_REQUIRED, 'Payment Required', data);
}

/** `PaymentRequired` of x402; after a payment that did not settle with what became of it. */
function x402Terms(
  { x402 }: PaymentTerms,
  { code, detail }: ProblemDetails,
  head: ToolReplyHead,
  { meta }: McpCall,
): Record<string, unknown> {
  const settled = decode(head.line('payment-response') ?? head.line('x-payment-response'), 'base64');
  return {
    ...x402,
    ...(X402_PAYMENT_META in meta ? { error: `${code}: ${detail}` } : {}),
    ...(settled ? { [X402_RESPONSE_META]: settled } : {}),
  };
}

/** A failure that the model may do something about: the problem, as text and as content. */
function problemResult(details: ProblemDetails, meta: Record<string, unknown> | undefined): CallToolResult {
  return {
    isError: true,
    structuredContent: { problem: details },
    content: [{ type: 'text', text: JSON.stringify(details) }],
    ...(meta ? { _meta: meta } : {}),
  };
}

/** In its `initialize`, in the request's own header, by paying so, or by where it calls. */
function speaksPayment({ declaresPayment, request, meta }: McpCall): boolean {
  if (declaresPayment || isRecord(meta[PAYMENT_CREDENTIAL_META])) return true;
  return (
    request.headers['accept-payment'] !== undefined ||
    request.routeOptions.url === toolsRoutes.mcpPayment.path
  );
}

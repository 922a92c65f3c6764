import {
  accountContract,
  bullionContract,
  bullionRoutes,
  cardsContract,
  cardsRoutes,
  CardValuationRequest,
  certificatesContract,
  certificatesRoutes,
  CoiVerifyRequest,
  type Route,
  VerifyBullionRequest,
} from '@svc/contracts';
import { type PaidOperation, UnchargedAnswer } from '@svc/edge';
import type { BusClient } from '@svc/platform';
import type { FastifyRequest } from 'fastify';
import { presentedHolder } from '../account/presented-holder.js';

/** A validated body, and which upload is its file, where it has one. */
export interface AgentBody {
  readonly body: object;
  readonly uploadId?: string;
}

/** What a paid agent is asked, whichever way it is called. */
export interface AgentCall {
  readonly route: Route;
  readonly operation: Omit<PaidOperation, 'admit' | 'operationId'>;
  admit(bus: BusClient, asked: AgentBody, request: FastifyRequest): Promise<unknown>;
  /** The answer, or an {@link UnchargedAnswer}. */
  run(bus: BusClient, asked: AgentBody, request: FastifyRequest): Promise<object>;
}

const unlessCharged = <Answer extends { charged: boolean }>(answer: Answer) =>
  answer.charged ? answer : new UnchargedAnswer(answer);

export const VERIFY_BULLION: AgentCall = {
  route: bullionRoutes.verify,
  operation: { body: VerifyBullionRequest, mayBeUncharged: true },
  admit: (bus, asked) => bus.call(bullionContract.admit, withFile(asked, 'recordingBase64', 'recording')),
  run: async (bus, asked) =>
    unlessCharged(await bus.call(bullionContract.verify, withFile(asked, 'recordingBase64', 'recording'))),
};

export const VALUE_CARD: AgentCall = {
  route: cardsRoutes.valuation,
  operation: { body: CardValuationRequest, mayBeUncharged: true },
  admit: (bus, { body }) => bus.call(cardsContract.admit, body as CardValuationRequest),
  run: async (bus, { body }) =>
    unlessCharged(await bus.call(cardsContract.value, body as CardValuationRequest)),
};

export const VERIFY_CERTIFICATE: AgentCall = {
  route: certificatesRoutes.verify,
  operation: { body: CoiVerifyRequest },
  admit: async (bus, asked, request) => {
    const holder = await presentedHolder(bus, request);
    return bus.call(certificatesContract.admit, {
      ...withFile(asked, 'pdfBase64', 'pdf'),
      ...(holder && { accountId: holder.accountId }),
    });
  },
  async run(bus, asked, request) {
    const holder = await presentedHolder(bus, request);
    // After the claim: what this audit takes from the key has been taken.
    const account = holder && (await bus.call(accountContract.account, { by: holder }));
    return bus.call(certificatesContract.verify, {
      ...withFile(asked, 'pdfBase64', 'pdf'),
      ...(holder && { accountId: holder.accountId }),
      creditsRemaining: account?.credits ?? null,
    });
  },
};

/** The operation that a call is sold as. */
export const operationOf = (call: AgentCall, uploadId?: string): PaidOperation => ({
  ...call.operation,
  operationId: call.route.operationId,
  admit: (bus, body, request) => call.admit(bus, { body: body as object, uploadId }, request),
});

/** On the bus a file travels as bytes beside its request: base64 in JSON is a third longer, and is read twice. */
function withFile<Name extends string>({ body, uploadId }: AgentBody, base64: string, name: Name) {
  const { [base64]: file, fileSha256: _digest, ...request } = body as Record<string, unknown>;
  return {
    request,
    ...(uploadId !== undefined && { uploadId }),
    ...(typeof file === 'string' && ({ [name]: Buffer.from(file, 'base64') } as Record<Name, Buffer>)),
  };
}

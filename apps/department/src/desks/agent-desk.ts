import { Injectable } from '@nestjs/common';
import type { ParsedRequestOf, cardsContract } from '@svc/contracts';
import { createHash } from 'node:crypto';
import { BullionService } from '../bullion/bullion.service.js';
import { CardValuationService } from '../cards/card-valuation.service.js';
import { CertificateAuditService } from '../certificates/certificate-audit.service.js';
import type { CapabilityAnswer, CapabilityCall } from './capability-call.js';

type Agent = 'bullion' | 'cards' | 'certificates';
type CardRequest = ParsedRequestOf<typeof cardsContract.value>;

/** The agents of this service, as their own routes ask them. */
@Injectable()
export class AgentDesk {
  constructor(
    private readonly bullion: BullionService,
    private readonly cards: CardValuationService,
    private readonly certificates: CertificateAuditService,
  ) {}

  async admit(agent: Agent, input: Record<string, unknown>, accountId?: string): Promise<void> {
    switch (agent) {
      case 'bullion': {
        const { request, file } = taken(input, 'recordingBase64');
        return this.bullion.admit(request, file);
      }
      case 'cards':
        return void (await this.cards.admit(input as CardRequest));
      case 'certificates':
        return void (await this.certificates.admit(certificateCallOf(input, accountId)));
    }
  }

  async run(agent: Agent, call: CapabilityCall): Promise<CapabilityAnswer> {
    const result = await this.answer(agent, call);
    return { result, charged: result.charged };
  }

  private answer(agent: Agent, { input, accountId, taskId }: CapabilityCall) {
    switch (agent) {
      case 'bullion': {
        const { request, file } = taken(input, 'recordingBase64');
        return this.bullion.verify(request, file);
      }
      case 'cards':
        return this.cards.value(input as CardRequest);
      case 'certificates': {
        const call = { ...certificateCallOf(input, accountId), creditsRemaining: null };
        return this.certificates.verify(call, auditIdOf(taskId));
      }
    }
  }
}

/** A task that is begun again comes to the same audit on record. */
function auditIdOf(taskId: string): string {
  const digest = createHash('sha256').update(`audit\0${taskId}`).digest();
  return `aud_${digest.subarray(0, 16).toString('base64url')}`;
}

function certificateCallOf(input: Record<string, unknown>, accountId: string | undefined) {
  const { request, file: pdf } = taken(input, 'pdfBase64');
  return { request, ...(pdf && { pdf }), ...(accountId !== undefined && { accountId }) };
}

/** A request with its file as bytes beside it. */
function taken(input: Record<string, unknown>, name: string) {
  const { [name]: base64, ...request } = input;
  return { request, file: typeof base64 === 'string' ? Buffer.from(base64, 'base64') : undefined };
}

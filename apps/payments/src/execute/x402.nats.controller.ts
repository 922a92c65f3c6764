import { Controller } from '@nestjs/common';
import { type ParsedRequestOf, type ReplyOf, x402Contract } from '@svc/contracts';
import { KeyClaims } from '../claim/key-claims.js';
import { Handle, problem } from '@svc/platform';
import { ToolOf } from '../ticket/tool-of.js';
import { VerifyService } from '../ticket/verify.service.js';
import { ExecuteService } from './execute.service.js';
import { InlineExecution } from './inline-execution.js';
import { SagaView } from './saga-view.js';
import { inputOf, ToolSagas } from './tool-sagas.js';

type Asked<P extends keyof typeof x402Contract> = ParsedRequestOf<(typeof x402Contract)[P]>;
type Reply<P extends keyof typeof x402Contract> = Promise<ReplyOf<(typeof x402Contract)[P]>>;

@Controller()
export class X402NatsController {
  constructor(
    private readonly keyClaims: KeyClaims,
    private readonly tools: ToolOf,
    private readonly sagas: ToolSagas,
    private readonly verifying: VerifyService,
    private readonly executions: ExecuteService,
    private readonly inline: InlineExecution,
    private readonly view: SagaView,
  ) {}

  @Handle(x402Contract.toolOf)
  async toolOf(request: Asked<'toolOf'>): Reply<'toolOf'> {
    return { tool: await this.tools.of(request) };
  }

  @Handle(x402Contract.admitExecution)
  async admitExecution({ tool, input }: Asked<'admitExecution'>): Reply<'admitExecution'> {
    await this.sagas.of(tool).admit(inputOf(tool, input));
    return {};
  }

  @Handle(x402Contract.verifyPayment)
  verifyPayment(request: Asked<'verifyPayment'>): Reply<'verifyPayment'> {
    return this.verifying.verify(request);
  }

  @Handle(x402Contract.execute)
  async execute(request: Asked<'execute'>): Reply<'execute'> {
    const { ticket, credential, accountKey } = request;
    if (ticket !== undefined && credential)
      throw problem('CONFLICTING_CREDENTIALS', 'A ticket is paid: send it, or a payment, and not both');
    if (ticket !== undefined) return this.executions.onTicket(ticket, request);
    if (!credential && accountKey === undefined)
      throw problem('PAYMENT_REQUIRED', 'Neither an execution ticket nor a payment came');
    const tool = request.tool ?? (await this.tools.of({ credential }));
    return { ...(await this.inline.execute(tool, request)), ...(await this.leftFor(request)) };
  }

  @Handle(x402Contract.saga)
  saga(request: Asked<'saga'>): Reply<'saga'> {
    return this.view.show(request);
  }

  /** What is left for the key that has paid, where one has, after what the saga gave back. */
  private async leftFor({ credential, accountKey }: Pick<Asked<'execute'>, 'credential' | 'accountKey'>) {
    return credential || accountKey === undefined ? {} : this.keyClaims.left(accountKey);
  }
}

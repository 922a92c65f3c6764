import { Controller, Inject } from '@nestjs/common';
import { accountContract, meshContract, type MeshDocumentReset, type ParsedRequestOf } from '@svc/contracts';
import { BusClient, Handle } from '@svc/platform';
import { DocumentReplica } from './document-replica.js';

const { resetDocument } = meshContract;

/** What operators do to the document. */
@Controller()
export class DocumentNatsController {
  constructor(
    @Inject(BusClient) private readonly bus: Pick<BusClient, 'call'>,
    @Inject(DocumentReplica) private readonly replica: Pick<DocumentReplica, 'renew'>,
  ) {}

  @Handle(resetDocument)
  async reset({ accountKey, request }: ParsedRequestOf<typeof resetDocument>): Promise<MeshDocumentReset> {
    const by = await this.bus.call(accountContract.authenticate, { accountKey, scope: 'admin:mesh' });
    const { reason } = request;
    const content = request.content === 'keep' ? 'kept' : 'cleared';
    const renewal = await this.replica.renew({ content, reason, by: `${by.accountId} ${by.keyId}` });
    const { epoch, writers, bytesBefore, bytes, stateHash, begunAtMs } = renewal;
    return {
      ...{ epoch, writers, bytesBefore, bytes, crdtStateHash: stateHash },
      begunAt: new Date(begunAtMs).toISOString(),
    };
  }
}

import { Controller, Inject } from '@nestjs/common';
import { meshContract, type MeshDocumentReset, type ParsedRequestOf } from '@svc/contracts';
import { Handle } from '@svc/platform';
import { DocumentReplica } from './document-replica.js';

const { resetDocument } = meshContract;

/** What operators do to the document. */
@Controller()
export class DocumentNatsController {
  constructor(@Inject(DocumentReplica) private readonly replica: Pick<DocumentReplica, 'renew'>) {}

  @Handle(resetDocument)
  async reset({ by, request }: ParsedRequestOf<typeof resetDocument>): Promise<MeshDocumentReset> {
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

import { Controller } from '@nestjs/common';
import { certificatesContract, type ParsedRequestOf } from '@svc/contracts';
import { Handle, problem } from '@svc/platform';
import { CertificateAuditService } from './certificate-audit.service.js';
import { CoiRecordsService } from './coi-records.service.js';
import { OverrideTrail } from './override-trail.js';
import { RequirementSets } from './requirement-sets.js';
import { UploadStore } from '../uploads/upload-store.js';

type Contract = typeof certificatesContract;

@Controller()
export class CertificatesNatsController {
  constructor(
    private readonly certificates: CertificateAuditService,
    private readonly records: CoiRecordsService,
    private readonly sets: RequirementSets,
    private readonly trail: OverrideTrail,
    private readonly uploads: UploadStore,
  ) {}

  @Handle(certificatesContract.admit)
  admit(call: ParsedRequestOf<Contract['admit']>) {
    return this.uploads.withFile(call.pdf, call.uploadId, pdf => this.certificates.admit({ ...call, pdf }));
  }

  @Handle(certificatesContract.verify)
  verify(call: ParsedRequestOf<Contract['verify']>) {
    return this.uploads.withFile(call.pdf, call.uploadId, pdf => this.certificates.verify({ ...call, pdf }));
  }

  @Handle(certificatesContract.requirementSets)
  async requirementSets({ by }: ParsedRequestOf<Contract['requirementSets']>) {
    return { items: await this.sets.list(by?.accountId) };
  }

  @Handle(certificatesContract.requirementSet)
  async requirementSet({ by, requirementSetId }: ParsedRequestOf<Contract['requirementSet']>) {
    const set = await this.sets.find(by.accountId, requirementSetId);
    if (!set) throw problem('NOT_FOUND', `There is no requirement set ${requirementSetId}`);
    return set;
  }

  @Handle(certificatesContract.putRequirementSet)
  putRequirementSet({ by, requirementSetId, requirements }: ParsedRequestOf<Contract['putRequirementSet']>) {
    return this.sets.put(by.accountId, requirementSetId, requirements);
  }

  @Handle(certificatesContract.audit)
  audit(request: ParsedRequestOf<Contract['audit']>) {
    return this.records.audit(request);
  }

  @Handle(certificatesContract.letter)
  letter(request: ParsedRequestOf<Contract['letter']>) {
    return this.records.letter(request);
  }

  @Handle(certificatesContract.override)
  override(request: ParsedRequestOf<Contract['override']>) {
    return this.trail.add(request);
  }

  @Handle(certificatesContract.expiring)
  expiring(request: ParsedRequestOf<Contract['expiring']>) {
    return this.records.expiring(request);
  }
}

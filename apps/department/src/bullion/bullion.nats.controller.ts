import { Controller } from '@nestjs/common';
import {
  accountContract,
  bullionContract,
  type BullionEnrolment,
  EnrolBullionCall,
  type EnrolmentFile,
  type ImportedEnrolments,
  type ParsedRequestOf,
  type ReplyOf,
  type RingChallenge,
  type VerifyBullionResult,
} from '@svc/contracts';
import { BusClient, Handle } from '@svc/platform';
import { BullionCatalogue } from './bullion-catalogue.js';
import { BullionEnrolments } from './bullion-enrolments.js';
import { BullionService, parsedRequest } from './bullion.service.js';
import { RingChallenges } from './ring-challenges.js';
import { UploadStore } from '../uploads/upload-store.js';

type Asked<P extends keyof typeof bullionContract> = ParsedRequestOf<(typeof bullionContract)[P]>;

@Controller()
export class BullionNatsController {
  constructor(
    private readonly bus: BusClient,
    private readonly bullion: BullionService,
    private readonly catalogue: BullionCatalogue,
    private readonly challenges: RingChallenges,
    private readonly enrolments: BullionEnrolments,
    private readonly uploads: UploadStore,
  ) {}

  @Handle(bullionContract.admit)
  async admit({
    request,
    recording,
    uploadId,
  }: Asked<'admit'>): Promise<ReplyOf<typeof bullionContract.admit>> {
    await this.uploads.withFile(recording, uploadId, file => this.bullion.admit(request, file));
    return {};
  }

  @Handle(bullionContract.verify)
  verify({ request, recording, uploadId }: Asked<'verify'>): Promise<VerifyBullionResult> {
    return this.uploads.withFile(recording, uploadId, file => this.bullion.verify(request, file));
  }

  @Handle(bullionContract.products)
  async products(): Promise<ReplyOf<typeof bullionContract.products>> {
    return { items: await this.catalogue.list() };
  }

  @Handle(bullionContract.challenge)
  challenge(): Promise<RingChallenge> {
    return this.challenges.issue();
  }

  @Handle(bullionContract.enrol)
  async enrol({ accountKey, request, recording }: Asked<'enrol'>): Promise<BullionEnrolment> {
    const by = await this.bus.call(accountContract.authenticate, { accountKey, scope: 'admin:bullion' });
    return this.enrolments.enrol(by, parsedRequest(EnrolBullionCall, request), recording);
  }

  @Handle(bullionContract.exportEnrolments)
  async exportEnrolments({ accountKey, productId }: Asked<'exportEnrolments'>): Promise<EnrolmentFile> {
    await this.bus.call(accountContract.authenticate, { accountKey, scope: 'admin:bullion' });
    return this.enrolments.export(productId);
  }

  @Handle(bullionContract.importEnrolments)
  async importEnrolments({ accountKey, file }: Asked<'importEnrolments'>): Promise<ImportedEnrolments> {
    const by = await this.bus.call(accountContract.authenticate, { accountKey, scope: 'admin:bullion' });
    return this.enrolments.import(by, file);
  }
}

import { Controller } from '@nestjs/common';
import { type ParsedRequestOf, type Upload, uploadsContract } from '@svc/contracts';
import { Handle } from '@svc/platform';
import { UploadStore } from './upload-store.js';

@Controller()
export class UploadsNatsController {
  constructor(private readonly uploads: UploadStore) {}

  @Handle(uploadsContract.add)
  add({ file }: ParsedRequestOf<typeof uploadsContract.add>): Promise<Upload> {
    return this.uploads.add(file);
  }

  @Handle(uploadsContract.find)
  find({ uploadId }: ParsedRequestOf<typeof uploadsContract.find>): Promise<Upload> {
    return this.uploads.find(uploadId);
  }
}

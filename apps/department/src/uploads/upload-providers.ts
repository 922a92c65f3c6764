import type { Provider, Type } from '@nestjs/common';
import { Retention, type ServiceEnvironment } from '@svc/platform';
import { UploadStore } from './upload-store.js';
import { UploadsNatsController } from './uploads.nats.controller.js';

/** Uploads are deleted by the next one, and by this where none comes. */
const PURGE_INTERVAL_MS = 60_000;
const UPLOAD_RETENTION = Symbol('UPLOAD_RETENTION');

export const UPLOAD_CONTROLLERS: readonly Type[] = [UploadsNatsController];

export const uploadProviders = ({ logger }: ServiceEnvironment): readonly Provider[] => [
  UploadStore,
  {
    provide: UPLOAD_RETENTION,
    inject: [UploadStore],
    useFactory: (uploads: UploadStore) =>
      new Retention(PURGE_INTERVAL_MS, { uploads: () => uploads.purge() }, logger),
  },
];

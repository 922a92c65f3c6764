import { instantiateDsp, type Dsp } from '@svc/kernels';
import { answerTasks, loadDspModule } from '@svc/kernels/node';
import { bareVerdict } from '../bare-verdict.js';
import {
  compareSurface,
  type Decision,
  type EnrolledSurface,
  type SurfaceComparison,
} from '../compare-surface.js';
import { extractFingerprint } from '../extract-fingerprint.js';
import type { Fingerprint } from '../fingerprint.js';
import type { RegionOfInterest } from '../grey-image.js';
import { ImageError, type ImageErrorCode } from '../image-error.js';
import type { SpeckleModality } from '../modality.js';
import { decodeImage } from './decode-image.js';

/** A file of a picture that a thread is to read, and what an enrolled surface is looked for in it. */
export interface SurfaceTask {
  readonly file: Uint8Array;
  readonly roi?: RegionOfInterest;
  readonly wanted:
    { readonly modality: SpeckleModality } | { readonly enrolled: EnrolledSurface; readonly isBare: boolean };
}

/** What a thread says of a file. */
export type SurfaceReply =
  | { readonly fingerprint: Fingerprint }
  | { readonly comparison: SurfaceComparison }
  | { readonly verdict: Decision['verdict'] }
  | { readonly fault: ImageFault };

interface ImageFault {
  readonly code: ImageErrorCode;
  readonly field: ImageError['field'];
  readonly message: string;
  readonly bound?: number;
  readonly got?: number;
}

let dsp: Promise<Dsp> | undefined;

// One thread of SurfaceThreads.
answerTasks(replyTo);

async function replyTo({ file, roi, wanted }: SurfaceTask): Promise<SurfaceReply> {
  dsp ??= loadDspModule().then(instantiateDsp);
  const kernels = await dsp;
  try {
    const image = await decodeImage(file);
    if (!('enrolled' in wanted)) {
      return { fingerprint: extractFingerprint(kernels, image, { modality: wanted.modality, roi }) };
    }
    const { enrolled, isBare } = wanted;
    return isBare
      ? { verdict: bareVerdict(kernels, enrolled, image, { roi }) }
      : { comparison: compareSurface(kernels, enrolled, image, { roi }) };
  } catch (error) {
    if (!(error instanceof ImageError)) throw error;
    const { code, field, message, bound, got } = error;
    return { fault: { code, field, message, bound, got } };
  }
}

import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type FieldFault } from '@svc/contracts';
import { KeptResults, problem, type ProblemError } from '@svc/platform';
import {
  type Fingerprint,
  ImageError,
  imageSize,
  refuseTooManyPixels,
  type RegionOfInterest,
  type SpeckleModality,
  type SurfaceComparison,
} from '@svc/speckle';
import { type SurfaceThreads, SurfaceThreadsError } from '@svc/speckle/node';
import { createHash } from 'node:crypto';
import type { EnrolledSurface } from './enrolled-surface.js';

const KEPT_READINGS_MAX = 16;
const BUSY_RETRY_SECONDS = 2;
/** What reading a surface takes whatever the picture's size, and each pixel of it beside that, milliseconds: 0.2 to 1 s for 2^24. */
const READ_MS = 100;
const PIXEL_MS = 1 / 20_000;
/** What looking for an enrolled surface in every direction and scale takes beside reading, milliseconds. */
const SEARCH_MS = 250;
/** What comparing one picture with several surfaces may be expected to take, milliseconds: its admission has 10 s. */
const COMPARING_MS_MAX = 8_000;

/** A picture as it came, and where to look in it. */
export interface TakenPicture {
  readonly image: Uint8Array;
  readonly roi?: RegionOfInterest;
}

/** Reads surfaces out of pictures, each in a thread of its own. */
@Injectable()
export class SurfaceReader implements OnApplicationShutdown {
  private readonly fingerprints = new KeptResults<Fingerprint>(KEPT_READINGS_MAX);
  private readonly comparisons = new KeptResults<SurfaceComparison>(KEPT_READINGS_MAX);
  private readonly verdicts = new KeptResults<SurfaceComparison['verdict']>(KEPT_READINGS_MAX);
  private readonly shown = new KeptResults<string | undefined>(KEPT_READINGS_MAX);

  constructor(private readonly threads: SurfaceThreads) {}

  /**
   * Milliseconds that reading a picture is expected to take, by the size that its header says.
   * @throws ProblemError BODY_TOO_LARGE for too many pixels
   */
  workOf(image: Uint8Array): number {
    const size = imageSize(image);
    try {
      if (size) refuseTooManyPixels(size);
    } catch (error) {
      refused(error);
    }
    return Math.ceil(READ_MS + PIXEL_MS * pixelsOf(image));
  }

  /** Milliseconds that comparing a picture with an enrolled surface is expected to take. @throws ProblemError as {@link workOf} */
  workOfComparing(image: Uint8Array): number {
    return SEARCH_MS + this.workOf(image);
  }

  /**
   * Milliseconds that {@link read} and {@link firstShown} are expected to take, which decode the picture for each surface anew.
   * @throws ProblemError BODY_TOO_LARGE for a picture with too many pixels for so many surfaces, or for any
   */
  workOfEnrolling(image: Uint8Array, surfaces: number): number {
    const comparing = surfaces * this.workOfComparing(image);
    if (comparing <= COMPARING_MS_MAX) return this.workOf(image) + comparing;
    const bound = Math.floor((Math.floor(COMPARING_MS_MAX / surfaces) - SEARCH_MS - READ_MS) / PIXEL_MS);
    const message = `at most ${bound} pixels where it is compared with ${surfaces} marked enrolments: cut the region out`;
    throw problemOf(new ImageError('TOO_MANY_PIXELS', 'image', message, bound, pixelsOf(image)));
  }

  /** Refuses what would be refused for want of room; a place is kept for what is about to be paid for. @throws ProblemError OVERLOADED */
  requireRoom(): void {
    try {
      this.threads.requireRoom();
    } catch (error) {
      refused(error);
    }
  }

  /**
   * @throws ProblemError UNSUPPORTED_MEDIA_TYPE, BODY_TOO_LARGE, UNPROCESSABLE for what is wrong with the picture or its
   * region; OVERLOADED
   */
  read(picture: TakenPicture, modality: SpeckleModality): Promise<Fingerprint> {
    const { image, roi } = picture;
    return this.fingerprints.get(`${modality} ${keyOf(picture)}`, () =>
      this.threads.extract(image, { modality, roi }).catch(refused),
    );
  }

  /** @throws ProblemError as {@link read} */
  compare(picture: TakenPicture, { pufId, modality, print }: EnrolledSurface): Promise<SurfaceComparison> {
    const { image, roi } = picture;
    return this.comparisons.get(`${pufId} ${keyOf(picture)}`, () =>
      this.threads.compare(image, { roi }, { modality, ...print }).catch(refused),
    );
  }

  /**
   * The first of some surfaces that a picture matches, if it matches any. One result is kept of them all, so that they do not push
   * the comparisons of others out.
   * @param surfaceOf finds a surface when its turn comes: none is held in memory before
   * @throws ProblemError as {@link read}, and whatever `surfaceOf` throws
   */
  firstShown(
    picture: TakenPicture,
    pufIds: readonly string[],
    surfaceOf: (pufId: string) => Promise<EnrolledSurface>,
  ): Promise<string | undefined> {
    const { image, roi } = picture;
    return this.shown.get(`${pufIds.join()} ${keyOf(picture)}`, async () => {
      for (const pufId of pufIds) {
        const { modality, print } = await surfaceOf(pufId);
        const { verdict } = await this.threads.compare(image, { roi }, { modality, ...print }).catch(refused);
        if (verdict === 'match') return pufId;
      }
      return undefined;
    });
  }

  /** The verdict alone. @throws ProblemError as {@link read} */
  verdict(
    picture: TakenPicture,
    { pufId, modality, print }: EnrolledSurface,
  ): Promise<SurfaceComparison['verdict']> {
    const { image, roi } = picture;
    return this.verdicts.get(`${pufId} ${keyOf(picture)}`, () =>
      this.threads.verdict(image, { roi }, { modality, ...print }).catch(refused),
    );
  }

  onApplicationShutdown(): Promise<void> {
    return this.threads.close();
  }
}

/** As its header says. Without a size it is no picture, which is soon found out. */
function pixelsOf(image: Uint8Array): number {
  const size = imageSize(image);
  return size ? size.width * size.height : 0;
}

function keyOf({ image, roi }: TakenPicture): string {
  const region = roi ? [roi.x, roi.y, roi.width, roi.height].join() : '';
  return `${createHash('sha256').update(image).digest('hex')} ${region}`;
}

/** @throws ProblemError of the picture's own fault, OVERLOADED where it was not looked at */
function refused(error: unknown): never {
  if (error instanceof SurfaceThreadsError) {
    throw problem('OVERLOADED', error.message, { retryAfterSeconds: BUSY_RETRY_SECONDS, cause: error });
  }
  if (error instanceof ImageError) throw problemOf(error);
  throw error;
}

const PATHS = { image: 'imageBase64', roi: 'roi' } as const;

function problemOf({ code, field, message, bound, got }: ImageError): ProblemError {
  const path = PATHS[field];
  const fault: FieldFault = {
    ...{ path, message },
    ...(bound !== undefined && { bound }),
    ...(got !== undefined && { got }),
  };
  const more = { errors: [fault], extensions: { imageFault: code } };
  switch (code) {
    case 'UNSUPPORTED_TYPE':
      return problem('UNSUPPORTED_MEDIA_TYPE', `${path}: ${message}`, more);
    case 'TOO_MANY_PIXELS':
      return problem('BODY_TOO_LARGE', `${path}: ${message}`, more);
    default:
      return problem('UNPROCESSABLE', `${path}: ${message}`, more);
  }
}

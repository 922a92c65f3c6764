import { Injectable } from '@nestjs/common';
import type { ExtractPufReply, ParsedRequestOf, speckleContract, VerifySlabReply } from '@svc/contracts';
import { problem, type ProblemError } from '@svc/platform';
import { canonicalJson } from '@svc/protocols';
import {
  enrolKey,
  type Fingerprint,
  FINGERPRINT_VERSION,
  inconclusiveReasonOf,
  KeyEnrolmentError,
  reproduceKey,
} from '@svc/speckle';
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { EnrolledSurface } from './enrolled-surface.js';
import { SurfaceReader } from './surface-reader.js';
import { SurfaceStore } from './surface-store.js';

type ExtractRequest = ParsedRequestOf<typeof speckleContract.extract>['request'];
type VerifyRequest = ParsedRequestOf<typeof speckleContract.verify>['request'];

export interface ExtractCall {
  readonly request: ExtractRequest;
  readonly image: Uint8Array;
  /** Whose enrolment it would be; a task knows the account alone. */
  readonly by?: { readonly accountId: string; readonly keyId?: string };
}

export interface VerifyCall {
  readonly request: VerifyRequest;
  readonly image: Uint8Array;
}

/** An enrolment as it is asked for. */
interface AskedEnrolment extends ExtractCall {
  readonly by: NonNullable<ExtractCall['by']>;
  readonly requestDigest: Uint8Array;
}

/** Fingerprints of surfaces: read, enrolled, and held against those that are enrolled. */
@Injectable()
export class SpeckleService {
  constructor(
    private readonly reader: SurfaceReader,
    private readonly store: SurfaceStore,
  ) {}

  /**
   * @throws ProblemError what {@link SurfaceReader.read} refuses; UNKNOWN_CREDENTIAL, CONFLICT or UNPROCESSABLE for what
   * cannot be enrolled
   */
  async admitExtract(call: ExtractCall): Promise<void> {
    const asked = askedEnrolment(call);
    if (!asked) return void (await this.reader.read(pictureOf(call), call.request.modality));
    if (await this.enrolledBefore(asked)) return;
    const fingerprint = await this.reader.read(pictureOf(call), call.request.modality);
    keyOf(fingerprint);
  }

  /** @throws ProblemError as {@link admitExtract} */
  async extract(call: ExtractCall): Promise<ExtractPufReply> {
    const asked = askedEnrolment(call);
    if (!asked) return fingerprintOf(await this.reader.read(pictureOf(call), call.request.modality));
    const before = await this.enrolledBefore(asked);
    return enrolmentOf(before ?? (await this.enrol(asked)));
  }

  /** @throws ProblemError as {@link verify} */
  async admitVerify(call: VerifyCall): Promise<void> {
    await this.compared(call);
  }

  /**
   * @throws ProblemError what {@link SurfaceReader.compare} refuses; NOT_FOUND for what is not enrolled, UNPROCESSABLE for helper
   * data or an enrolment that was changed
   */
  async verify(call: VerifyCall): Promise<VerifySlabReply> {
    const { enrolled, comparison } = await this.compared(call);
    const { verdict, reason, fhd, usableBits, threshold, dof, falseMatchProbability, alignment } = comparison;
    const { shiftXPx, shiftYPx, rotationDeg } = alignment;
    return {
      ...{ verdict, ...(reason && { reason }), fhd, usableBits, threshold, dof, falseMatchProbability },
      alignment: { shiftXPx, shiftYPx, rotationDeg },
      ...(verdict === 'match' && { keyReproduced: reproduces(comparison.fresh.bits, enrolled) }),
      ...{ pufId: enrolled.pufId, enrolledAt: enrolled.enrolledAt },
    };
  }

  private async compared({ request, image }: VerifyCall) {
    const enrolled = await this.store.get(request);
    requireComparable(enrolled);
    requireUnchanged(request.helperData, enrolled);
    const comparison = await this.reader.compare({ image, roi: request.roi }, enrolled);
    return { enrolled, comparison };
  }

  /** @throws ProblemError CONFLICT where the slab is another account's */
  private async enrolledBefore({ request, by, requestDigest }: AskedEnrolment) {
    if (request.slabId !== undefined) await this.store.requireFree(request.slabId, by.accountId);
    return this.store.ofRequest(requestDigest);
  }

  private async enrol({ request, image, by, requestDigest }: AskedEnrolment): Promise<EnrolledSurface> {
    const { modality, slabId, roi } = request;
    const fingerprint = await this.reader.read({ image, roi }, modality);
    const { bits, mask, patch, bitCount, usableBits, quality } = fingerprint;
    return this.store.keep({
      pufId: `puf_${randomBytes(16).toString('base64url')}`,
      slabId: slabId ?? null,
      ...{ accountId: by.accountId, keyId: by.keyId ?? null, requestDigest },
      ...{ fingerprintVersion: FINGERPRINT_VERSION, modality, bitCount, usableBits, quality },
      ...keyOf(fingerprint),
      enrolledAt: new Date().toISOString(),
      print: { bits, mask, patch },
    });
  }
}

const pictureOf = ({ image, request: { roi } }: ExtractCall) => ({ image, roi });

/** @throws ProblemError UNPROCESSABLE, UNKNOWN_CREDENTIAL */
function askedEnrolment(call: ExtractCall): AskedEnrolment | undefined {
  const { request, image, by } = call;
  const { enroll, slabId, modality, roi } = request;
  if (!enroll) {
    if (slabId !== undefined) throw unprocessable('slabId', 'is for enrolment: send enroll true with it');
    return undefined;
  }
  if (!by) throw problem('UNKNOWN_CREDENTIAL', 'To enrol, send the key of an account in X-SVC-KEY');
  const imageSha256 = createHash('sha256').update(image).digest('hex');
  const asked = canonicalJson({
    ...{ accountId: by.accountId, slabId, modality, roi, imageSha256 },
    fingerprintVersion: FINGERPRINT_VERSION,
  });
  return { request, image, by, requestDigest: createHash('sha256').update(asked, 'utf8').digest() };
}

/**
 * A key for a surface, drawn anew, and what of it is public; the key itself is nobody's: the surface gives it again.
 * @throws ProblemError UNPROCESSABLE for a picture that is too poor to be known again by, and a surface without entropy enough
 */
function keyOf(fingerprint: Fingerprint) {
  const reason = inconclusiveReasonOf(fingerprint);
  if (reason !== undefined) {
    throw unprocessable('imageBase64', `is too poor to enrol: ${reason}`, { imageFault: reason });
  }
  const { bits, reliability, modality } = fingerprint;
  try {
    return enrolKey(bits, reliability, length => randomBytes(length), { modality });
  } catch (error) {
    if (!(error instanceof KeyEnrolmentError)) throw error;
    const { code, message, min, got } = error;
    throw unprocessable('imageBase64', message, { imageFault: code }, { bound: min, got });
  }
}

/** @throws ProblemError UNPROCESSABLE */
function requireComparable({ pufId, fingerprintVersion }: EnrolledSurface): void {
  if (fingerprintVersion === FINGERPRINT_VERSION) return;
  const message = `${pufId} was enrolled as ${fingerprintVersion}, pictures are read as ${FINGERPRINT_VERSION}: enrol it again`;
  throw unprocessable('pufId', message);
}

/** @throws ProblemError UNPROCESSABLE */
function requireUnchanged(sent: string | undefined, { helperData }: EnrolledSurface): void {
  if (sent === undefined) return;
  const bytes = Buffer.from(sent, 'base64');
  if (bytes.length === helperData.length && timingSafeEqual(bytes, helperData)) return;
  throw unprocessable('helperData', 'is not what this enrolment was given: it was changed, or is of another');
}

/** Whether the key of enrolment comes out; that its helper data is what was enrolled, the seal has shown. */
const reproduces = (bits: Uint8Array, { helperData, keyCommitment }: EnrolledSurface): boolean =>
  reproduceKey(bits, helperData, keyCommitment).ok;

const hex = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`;

const fingerprintOf = ({ bits, mask, bitCount, usableBits, quality }: Fingerprint): ExtractPufReply => ({
  fingerprintHex: hex(bits),
  maskHex: hex(mask),
  bits: bitCount,
  usableBits,
  quality,
});

const enrolmentOf = (surface: EnrolledSurface): ExtractPufReply => ({
  fingerprintHex: hex(surface.print.bits),
  maskHex: hex(surface.print.mask),
  bits: surface.bitCount,
  usableBits: surface.usableBits,
  quality: surface.quality,
  helperData: Buffer.from(surface.helperData).toString('base64'),
  keyCommitment: hex(surface.keyCommitment),
  residualEntropyBits: surface.residualEntropyBits,
  pufId: surface.pufId,
});

function unprocessable(
  path: string,
  message: string,
  extensions?: Record<string, unknown>,
  fault: { bound?: number; got?: number } = {},
): ProblemError {
  return problem('UNPROCESSABLE', `${path}: ${message}`, {
    errors: [{ path, message, ...fault }],
    ...(extensions && { extensions }),
  });
}

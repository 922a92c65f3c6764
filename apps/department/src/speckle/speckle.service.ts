import { Injectable } from '@nestjs/common';
import type { ExtractPufReply, ParsedRequestOf, speckleContract, VerifySlabReply } from '@svc/contracts';
import { problem, type ProblemError } from '@svc/platform';
import { canonicalJson } from '@svc/protocols';
import {
  enrolKey,
  type Fingerprint,
  FINGERPRINT_VERSION,
  inconclusiveReasonOf,
  isMostlyNoise,
  KeyEnrolmentError,
  reproduceKey,
} from '@svc/speckle';
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { AnswerGrid } from './answer-grid.js';
import type { EnrolledSurface } from './enrolled-surface.js';
import { SlabConsent } from './slab-consent.js';
import { SlabTries } from './slab-tries.js';
import { SurfaceReader } from './surface-reader.js';
import { SurfaceStore } from './surface-store.js';
import { UnpaidLooks } from './unpaid-looks.js';

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
  /** Whose key came along: the owner's account is told the figures. */
  readonly by?: { readonly accountId: string };
}

/** What a call is expected to take, milliseconds. */
export interface ExpectedWork {
  readonly workUnits: number;
}

/** An enrolment as it is asked for. */
interface AskedEnrolment extends ExtractCall {
  readonly by: NonNullable<ExtractCall['by']>;
  /** Plain: it is written nowhere. */
  readonly requestDigest: Uint8Array;
}

/** Fingerprints of surfaces: read, enrolled, and held against those that are enrolled. */
@Injectable()
export class SpeckleService {
  constructor(
    private readonly reader: SurfaceReader,
    private readonly store: SurfaceStore,
    private readonly consent: SlabConsent,
    private readonly tries: SlabTries,
    private readonly grid: AnswerGrid,
    private readonly looks: UnpaidLooks,
  ) {}

  /**
   * Looks at a picture before it is paid for, as far as {@link UnpaidLooks} lets it be decoded.
   * @throws ProblemError what {@link SurfaceReader.read} refuses; UNKNOWN_CREDENTIAL, CONFLICT, UNPROCESSABLE or BODY_TOO_LARGE for
   * what cannot be enrolled; RATE_LIMITED
   */
  async admitExtract(call: ExtractCall): Promise<ExpectedWork> {
    const asked = askedEnrolment(call);
    if (asked && (await this.enrolledBefore(asked))) return { workUnits: 0 };
    if (asked) await this.store.requireRoomOf(asked.by.accountId);
    const marked = asked ? await this.markedFor(asked) : [];
    const workUnits = this.reader.workOfEnrolling(call.image, marked.length);
    if (!this.looks.may(workUnits)) {
      this.reader.requireRoom();
      return { workUnits };
    }
    const fingerprint = await this.reader.read(pictureOf(call), call.request.modality);
    if (asked) {
      keyOf(fingerprint);
      await this.requireUnexposed(asked, marked);
    }
    return { workUnits };
  }

  /** @throws ProblemError as {@link admitExtract} */
  async extract(call: ExtractCall): Promise<ExtractPufReply> {
    const asked = askedEnrolment(call);
    if (!asked) {
      const fingerprint = await this.reader.read(pictureOf(call), call.request.modality);
      this.looks.giveBack(this.reader.workOf(call.image));
      return fingerprintOf(fingerprint);
    }
    const surface = (await this.enrolledBefore(asked)) ?? (await this.enrol(asked));
    return { ...enrolmentOf(surface), verificationToken: this.consent.tokenOf(surface.pufId) };
  }

  /**
   * Tells others than the owner nothing but of their picture; looks at it as {@link admitExtract}.
   * @throws ProblemError as {@link verify}
   */
  async admitVerify(call: VerifyCall): Promise<ExpectedWork> {
    const workUnits = this.workOfVerifying(call);
    const { enrolled, isOwner } = await this.asked(call);
    if (!isOwner) await this.tries.requireLeft(enrolled);
    const isLookedAt = this.looks.may(workUnits);
    if (isLookedAt && isOwner) await this.reader.compare(pictureOf(call), enrolled);
    else if (isLookedAt) await this.reader.read(pictureOf(call), enrolled.modality);
    // What was compared is not compared again.
    if (!isLookedAt || !isOwner) this.reader.requireRoom();
    return { workUnits };
  }

  /**
   * All figures for the owner; for others, with the owner's consent and as often as the slab is tried in a day, the verdict.
   *
   * @throws ProblemError what {@link SurfaceReader.compare} refuses; NOT_FOUND for what is not enrolled, FORBIDDEN, RATE_LIMITED;
   * UNPROCESSABLE for an enrolment that is marked, and for helper data or an enrolment that was changed
   */
  async verify(call: VerifyCall): Promise<VerifySlabReply> {
    const { enrolled, isOwner } = await this.asked(call);
    const { pufId, enrolledAt } = enrolled;
    const answer = isOwner
      ? { ...(await this.figuresOf(call, enrolled)), pufId, enrolledAt }
      : await this.grid.hold(async () => {
          await this.tries.requireLeft(enrolled);
          // A picture that cannot be read is no try.
          await this.reader.read(pictureOf(call), enrolled.modality);
          await this.tries.count(enrolled);
          return { verdict: await this.reader.verdict(pictureOf(call), enrolled), pufId, enrolledAt };
        });
    this.looks.giveBack(this.workOfVerifying(call));
    return answer;
  }

  /** It is read, and held against what is enrolled. */
  private workOfVerifying({ image }: VerifyCall): number {
    return this.reader.workOf(image) + this.reader.workOfComparing(image);
  }

  private async figuresOf(call: VerifyCall, enrolled: EnrolledSurface) {
    const comparison = await this.reader.compare(pictureOf(call), enrolled);
    const { verdict, reason, fhd, usableBits, threshold, dof, falseMatchProbability, alignment } = comparison;
    const { shiftXPx, shiftYPx, rotationDeg, scale } = alignment;
    return {
      ...{ verdict, ...(reason && { reason }), fhd, usableBits, threshold, dof, falseMatchProbability },
      alignment: { shiftXPx, shiftYPx, rotationDeg, scale },
      ...(verdict === 'match' && { keyReproduced: reproduces(comparison.fresh.bits, enrolled) }),
    };
  }

  /** Who asks, and about what. @throws ProblemError as {@link verify} */
  private async asked({ request, by }: VerifyCall) {
    const enrolled = await this.store.get(request);
    const isOwner = by?.accountId === enrolled.accountId;
    const { isExposed, isReplaced } = await this.store.standingOf(enrolled);
    if (!isOwner) {
      this.consent.require(request.verificationToken, enrolled.pufId);
      this.consent.requireNewest(request.verificationToken, isReplaced);
      if (request.helperData !== undefined) throw ownersAlone('helperData');
    }
    requireComparable(enrolled);
    if (isExposed) throw exposed(enrolled.pufId);
    requireUnchanged(request.helperData, enrolled);
    return { enrolled, isOwner };
  }

  /** @throws ProblemError CONFLICT where the slab is another account's */
  private async enrolledBefore({ request, by, requestDigest }: AskedEnrolment) {
    if (request.slabId !== undefined) await this.store.requireFree(request.slabId, by.accountId);
    const before = await this.store.ofRequest(this.store.digestOf(requestDigest, by.accountId));
    if (before && (await this.store.standingOf(before)).isExposed) throw knownRegion(before.pufId);
    return before;
  }

  /** What an enrolment is held against, whatever it is called: bits that may be known are so under any slabId, and under none. */
  private markedFor({ request, by }: AskedEnrolment): Promise<string[]> {
    return this.store.exposedOf(by.accountId, FINGERPRINT_VERSION, request.slabId);
  }

  /** @throws ProblemError UNPROCESSABLE for a picture of what may be known to others already */
  private async requireUnexposed(asked: AskedEnrolment, marked: readonly string[]): Promise<void> {
    const known = await this.reader.firstShown(pictureOf(asked), marked, pufId => this.store.get({ pufId }));
    if (known !== undefined) throw knownRegion(known);
  }

  private async enrol(asked: AskedEnrolment): Promise<EnrolledSurface> {
    const { request, image, by, requestDigest } = asked;
    const { modality, slabId, roi } = request;
    const marked = await this.markedFor(asked);
    const workUnits = this.reader.workOfEnrolling(image, marked.length);
    const fingerprint = await this.reader.read({ image, roi }, modality);
    const key = keyOf(fingerprint);
    await this.requireUnexposed(asked, marked);
    const { bits, mask, patch, bitCount, usableBits, quality } = fingerprint;
    const digest = this.store.digestOf(requestDigest, by.accountId);
    const surface = {
      pufId: `puf_${randomBytes(16).toString('base64url')}`,
      slabId: slabId ?? null,
      ...{ accountId: by.accountId, keyId: by.keyId ?? null, requestDigest: digest.bytes },
      ...{ fingerprintVersion: FINGERPRINT_VERSION, modality, bitCount, usableBits, quality },
      ...key,
      enrolledAt: new Date().toISOString(),
      print: { bits, mask, patch },
    };
    const kept = await this.store.keep(surface, digest);
    this.looks.giveBack(workUnits);
    return kept;
  }
}

const pictureOf = ({ image, request: { roi } }: ExtractCall | VerifyCall) => ({ image, roi });

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
  const reason = inconclusiveReasonOf(fingerprint) ?? (isMostlyNoise(fingerprint) ? 'NOISY' : undefined);
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

const exposed = (pufId: string) =>
  unprocessable(
    'pufId',
    `${pufId} was enrolled while figures were told to everybody, so that its bits may be known: enrol another region of the piece`,
    undefined,
    { got: pufId },
  );

const knownRegion = (pufId: string) =>
  unprocessable(
    'imageBase64',
    `shows what was enrolled as ${pufId}, whose bits may be known: take another region of the piece`,
    { imageFault: 'KNOWN_REGION' },
    { got: pufId },
  );

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

const ownersAlone = (path: string) =>
  problem('FORBIDDEN', `${path}: is compared for the owner of the surface alone`, {
    errors: [{ path, message: 'is compared for the owner of the surface alone' }],
  });

function unprocessable(
  path: string,
  message: string,
  extensions?: Record<string, unknown>,
  fault: { bound?: number; got?: number | string } = {},
): ProblemError {
  return problem('UNPROCESSABLE', `${path}: ${message}`, {
    errors: [{ path, message, ...fault }],
    ...(extensions && { extensions }),
  });
}

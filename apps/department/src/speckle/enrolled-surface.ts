import { Inject, Injectable } from '@nestjs/common';
import type { ExtractPufReply, SpeckleModality } from '@svc/contracts';
import {
  KeyedDigests,
  problem,
  SealedJson,
  SERVICE_ENVIRONMENT,
  type ServiceEnvironment,
} from '@svc/platform';
import { canonicalJson } from '@svc/protocols';
import { packPatch, unpackPatch } from '@svc/speckle';
import { z } from 'zod';
import { sealingSecretsOf } from './speckle-config.js';

/** What is told of an enrolment, and stands in its row as it is. */
export interface EnrolmentRecord {
  readonly pufId: string;
  readonly slabId: string | null;
  readonly accountId: string;
  /** Null where a task of the account enrolled it. */
  readonly keyId: string | null;
  /** Keyed and bound to the account. */
  readonly requestDigest: Uint8Array;
  /** Fingerprints of two versions are not comparable. */
  readonly fingerprintVersion: string;
  readonly modality: z.output<typeof SpeckleModality>;
  readonly bitCount: number;
  readonly usableBits: number;
  readonly quality: ExtractPufReply['quality'];
  readonly helperData: Uint8Array;
  readonly keyCommitment: Uint8Array;
  readonly residualEntropyBits: number;
  /** RFC 3339, to the millisecond. */
  readonly enrolledAt: string;
}

/** What the key of a surface could be made of: it is kept sealed. */
export interface SurfacePrint {
  /** As `extractFingerprint` gives them. */
  readonly bits: Uint8Array;
  readonly mask: Uint8Array;
  /** What another picture is aligned with. */
  readonly patch: Float32Array;
}

/** An enrolment as it was written. */
export interface EnrolledSurface extends EnrolmentRecord {
  readonly print: SurfacePrint;
}

const SealedPrint = z.object({
  bits: z.base64(),
  mask: z.base64(),
  /** A byte a pixel: the camera's noise is many times as coarse. */
  patch: z.base64(),
});

/** Seals prints, each to its record: beside another, or one that was changed in any member, it does not open. */
@Injectable()
export class SurfaceSeal {
  /** What rows know requests by. */
  readonly requests: KeyedDigests;
  private readonly seals: SealedJson;

  constructor(@Inject(SERVICE_ENVIRONMENT) { secrets, variables = process.env }: ServiceEnvironment) {
    const live = sealingSecretsOf(secrets, variables);
    this.requests = new KeyedDigests({ live }, 'svc/surface-request/v1');
    this.seals = new SealedJson(live, 'svc/surface-print/v1');
  }

  seal({ bits, mask, patch }: SurfacePrint, record: EnrolmentRecord): Buffer {
    const sealed = { bits: base64(bits), mask: base64(mask), patch: base64(packPatch(patch)) };
    return this.seals.seal(sealed, boundTo(record));
  }

  /** @throws ProblemError UNPROCESSABLE where record or print are not as they were written: nothing is compared with such */
  open(sealed: Uint8Array, record: EnrolmentRecord): SurfacePrint {
    let read: z.output<typeof SealedPrint>;
    try {
      read = SealedPrint.parse(this.seals.open(sealed, boundTo(record)));
    } catch (cause) {
      const message = 'its enrolment was changed on record, and nothing is compared with it';
      throw problem('UNPROCESSABLE', `pufId: ${message}`, {
        errors: [{ path: 'pufId', message, got: record.pufId }],
        cause,
      });
    }
    return {
      bits: new Uint8Array(Buffer.from(read.bits, 'base64')),
      mask: new Uint8Array(Buffer.from(read.mask, 'base64')),
      patch: unpackPatch(new Int8Array(Buffer.from(read.patch, 'base64'))),
    };
  }
}

const base64 = ({ buffer, byteOffset, byteLength }: Uint8Array | Int8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64');

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Every member of the record, as canonical JSON. */
function boundTo({ requestDigest, helperData, keyCommitment, ...members }: EnrolmentRecord): string {
  return canonicalJson({
    ...members,
    requestDigest: hex(requestDigest),
    helperData: hex(helperData),
    keyCommitment: hex(keyCommitment),
  });
}

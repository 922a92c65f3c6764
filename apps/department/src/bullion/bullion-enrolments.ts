import { Injectable } from '@nestjs/common';
import {
  type BullionEnrolment,
  type EnrolBullionCall,
  ENROLMENT_FILE_RINGS_MAX,
  type EnrolmentFile,
  type ImportedEnrolments,
  type KeyHolder,
} from '@svc/contracts';
import {
  EnrolmentError,
  FinenessError,
  materialOf,
  type Product,
  type RingPeak,
  type SpecimenMode,
  specimenModes,
} from '@svc/metals';
import { inTransaction, newId, problem, unprocessable } from '@svc/platform';
import { DataSource, type EntityManager } from 'typeorm';
import { BullionCatalogue, published } from './bullion-catalogue.js';
import { type HeardRing, type RecordedRing, RingListener } from './heard-ring.js';

/** A reference is made of good recordings alone. */
const SNR_DB_MIN = 20;
const CLIPPED_FRACTION_MAX = 0.01;
/** How far a piece may weigh from its product, percent. */
const MASS_TOLERANCE_PERCENT = 0.5;
/** What a product that the table has not must be told by. */
const DESCRIPTION = ['name', 'metal', 'fineness', 'massG', 'diameterMm'] as const;

type Row = Record<string, unknown>;

/** Genuine pieces, recorded by operators: what was heard of each is kept for good, with who enrolled it. */
@Injectable()
export class BullionEnrolments {
  constructor(
    private readonly dataSource: DataSource,
    private readonly catalogue: BullionCatalogue,
    private readonly listener: RingListener,
  ) {}

  /**
   * @throws ProblemError UNPROCESSABLE for a recording that no reference can be made of, a product that lacks its description,
   * and a description that is not the product's; CONFLICT for a recording that is enrolled already
   */
  async enrol(by: KeyHolder, call: EnrolBullionCall, wav: Uint8Array): Promise<BullionEnrolment> {
    const heard = await this.listener.listen({}, wav);
    const recorded = recordedOf(heard);
    return inTransaction(this.dataSource, async manager => {
      const product = await this.product(manager, by, call);
      const modes = modesOf(product, heard.peaks, 'recordingBase64');
      const { specimen, massG = null } = call;
      const ring = { specimen, massG, recordingSha256: recorded.sha256, peaks: heard.peaks };
      const enrolment = await insertEnrolment(manager, by, product.productId, { ...ring, modes });
      if (!enrolment) {
        throw problem('CONFLICT', 'This recording is enrolled already', {
          errors: [{ path: 'recordingBase64', message: 'is enrolled already', got: recorded.sha256 }],
        });
      }
      const now = await this.catalogue.get(call.productId, manager);
      return { ...enrolment, product: published(now), specimen, specimens: now.specimens.length };
    });
  }

  /** What was heard of a product’s genuine pieces, the newest of them. @throws ProblemError UNPROCESSABLE for an unknown product */
  async export(productId: string): Promise<EnrolmentFile> {
    const { product } = await this.catalogue.get(productId);
    const { name, metal, fineness, massG, diameterMm, thicknessMm } = product;
    const rows: Row[] = await this.dataSource.query(
      `SELECT specimen, mass_g, recording_sha256, enrolled_at, peaks FROM bullion_enrolment WHERE product_id = $1
       ORDER BY enrolled_at DESC, enrolment_id LIMIT $2`,
      [productId, ENROLMENT_FILE_RINGS_MAX],
    );
    return {
      format: 'svc-bullion-enrolments/v1',
      product: { productId, name, metal, fineness, massG, diameterMm, thicknessMm },
      enrolments: rows.map(row => ({
        specimen: row.specimen as string,
        massG: row.mass_g as number | null,
        recordingSha256: `0x${(row.recording_sha256 as Buffer).toString('hex')}`,
        enrolledAt: (row.enrolled_at as Date).toISOString(),
        peaks: row.peaks as RingPeak[],
      })),
    };
  }

  /**
   * Takes over what another house has heard: all of a file or nothing. What it says of a known product must be so.
   * @throws ProblemError UNPROCESSABLE for a product that is described otherwise, and a ring that is not the product’s
   */
  async import(
    by: KeyHolder,
    { product: described, enrolments }: EnrolmentFile,
  ): Promise<ImportedEnrolments> {
    return inTransaction(this.dataSource, async manager => {
      const call = { ...described, thicknessMm: described.thicknessMm ?? undefined };
      const product = await this.product(manager, by, call, 'product.');
      let added = 0;
      for (const [i, ring] of enrolments.entries()) {
        const modes = modesOf(product, ring.peaks, `enrolments.${i}.peaks`);
        if (await insertEnrolment(manager, by, product.productId, { ...ring, modes })) added++;
      }
      const now = await this.catalogue.get(product.productId, manager);
      return { product: published(now), added, known: enrolments.length - added };
    });
  }

  /** The product that is enrolled for, made where no table and no operator has it. */
  private async product(
    manager: EntityManager,
    by: KeyHolder,
    call: Partial<EnrolBullionCall> & { productId: string },
    at = '',
  ): Promise<Product> {
    // Two first recordings of a new product at once would both create it.
    await manager.query(`SELECT pg_advisory_xact_lock(hashtext('bullion_product ' || $1))`, [call.productId]);
    const known = await this.catalogue.find(call.productId, manager);
    if (known) {
      requireSame(known.product, call, at);
      return known.product;
    }
    const product = newProduct(call, at);
    requireSame(product, call, at);
    await insertProduct(manager, by, product);
    return product;
  }
}

function recordedOf({ recorded }: HeardRing): RecordedRing {
  if (!recorded) throw unprocessable('recordingBase64', 'is missing');
  const { snrDb, clippedFraction } = recorded.quality;
  if (snrDb < SNR_DB_MIN) {
    const message = `the ring must be ${SNR_DB_MIN} dB over the noise, got ${snrDb.toFixed(1)}`;
    throw unprocessable('recordingBase64', message, { bound: String(SNR_DB_MIN), got: snrDb.toFixed(1) });
  }
  if (clippedFraction > CLIPPED_FRACTION_MAX) {
    const got = (100 * clippedFraction).toFixed(1);
    const message = `at most ${100 * CLIPPED_FRACTION_MAX} % of the samples may be clipped, got ${got} %`;
    throw unprocessable('recordingBase64', message, { bound: String(100 * CLIPPED_FRACTION_MAX), got });
  }
  return recorded;
}

function newProduct(call: Partial<EnrolBullionCall>, at: string): Product {
  for (const path of DESCRIPTION) {
    if (call[path] === undefined)
      throw unprocessable(at + path, 'is needed for a product that is not in the table');
  }
  const { productId, name, metal, fineness, massG, diameterMm, thicknessMm } =
    call as Required<EnrolBullionCall>;
  try {
    materialOf(metal, fineness);
  } catch (error) {
    if (!(error instanceof FinenessError)) throw error;
    throw unprocessable(`${at}fineness`, error.message, { bound: `≥ ${error.min}`, got: String(fineness) });
  }
  const source = 'as the operator enrolled it';
  return { productId, name, metal, fineness, massG, diameterMm, thicknessMm: thicknessMm ?? null, source };
}

function requireSame(product: Product, call: Partial<EnrolBullionCall>, at: string): void {
  for (const path of ['metal', 'fineness', 'diameterMm', 'thicknessMm'] as const) {
    const [bound, got] = [product[path], call[path]];
    if (got !== undefined && bound !== null && got !== bound) {
      const message = `of ${product.productId} is ${bound}`;
      throw unprocessable(at + path, message, { bound: String(bound), got: String(got) });
    }
  }
  const { massG } = call;
  if (massG === undefined) return;
  const tolerance = product.massTolerancePercent ?? MASS_TOLERANCE_PERCENT;
  if (Math.abs(100 * (massG / product.massG - 1)) > tolerance) {
    const message = `must lie within ${tolerance} % of ${product.massG} g`;
    throw unprocessable(`${at}massG`, message, { bound: String(product.massG), got: String(massG) });
  }
}

function modesOf(product: Product, peaks: readonly RingPeak[], path: string): SpecimenMode[] {
  try {
    return specimenModes(product, peaks);
  } catch (error) {
    if (!(error instanceof EnrolmentError)) throw error;
    const { message, min, got } = error;
    throw unprocessable(path, message, { bound: String(min), got: String(got) });
  }
}

async function insertProduct(manager: EntityManager, by: KeyHolder, product: Product): Promise<void> {
  const { productId, name, metal, fineness, massG, diameterMm, thicknessMm } = product;
  await manager.query(
    `INSERT INTO bullion_product (product_id, name, metal, fineness, mass_g, diameter_mm, thickness_mm,
                                  created_by_account, created_by_key)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [productId, name, metal, fineness, massG, diameterMm, thicknessMm, by.accountId, by.keyId],
  );
}

/** What is kept of a genuine piece. */
type KeptRing = Omit<EnrolmentFile['enrolments'][number], 'peaks' | 'enrolledAt'> & {
  readonly peaks: readonly RingPeak[];
  readonly modes: readonly SpecimenMode[];
  /** When another house enrolled it; default: now. */
  readonly enrolledAt?: string;
};

/** Undefined where the recording is enrolled already. */
async function insertEnrolment(
  manager: EntityManager,
  by: KeyHolder,
  productId: string,
  { specimen, massG, recordingSha256, peaks, modes, enrolledAt }: KeptRing,
): Promise<Pick<BullionEnrolment, 'enrolmentId' | 'enrolledAt'> | undefined> {
  const enrolmentId = newId('enr');
  const digest = Buffer.from(recordingSha256.slice(2), 'hex');
  const rows: Row[] = await manager.query(
    `INSERT INTO bullion_enrolment (enrolment_id, product_id, specimen, mass_g, recording_sha256, peaks, modes,
                                    enrolled_by_account, enrolled_by_key, enrolled_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, LEAST(now(), COALESCE($10::timestamptz, now())))
     ON CONFLICT (product_id, recording_sha256) DO NOTHING RETURNING enrolled_at`,
    [
      ...[enrolmentId, productId, specimen, massG, digest],
      ...[JSON.stringify(peaks), JSON.stringify(modes), by.accountId, by.keyId, enrolledAt ?? null],
    ],
  );
  return rows[0] && { enrolmentId, enrolledAt: (rows[0].enrolled_at as Date).toISOString() };
}

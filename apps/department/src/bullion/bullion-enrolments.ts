import { Injectable } from '@nestjs/common';
import type { BullionEnrolment, EnrolBullionCall, KeyHolder } from '@svc/contracts';
import {
  EnrolmentError,
  FinenessError,
  materialOf,
  type Product,
  type SpecimenMode,
  specimenModes,
} from '@svc/metals';
import { inTransaction, problem, unprocessable } from '@svc/platform';
import { randomBytes } from 'node:crypto';
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
      // Two first recordings of a new product at once would both create it.
      await manager.query(`SELECT pg_advisory_xact_lock(hashtext('bullion_product ' || $1))`, [
        call.productId,
      ]);
      const known = await this.catalogue.find(call.productId, manager);
      const product = known?.product ?? newProduct(call);
      requireSame(product, call, known !== undefined);
      const modes = modesOf(product, heard);
      if (!known) await insertProduct(manager, by, product);
      const enrolment = await insertEnrolment(manager, by, call, { recorded, heard, modes });
      const now = await this.catalogue.get(call.productId, manager);
      return {
        ...enrolment,
        product: published(now),
        specimen: call.specimen,
        specimens: now.specimens.length,
      };
    });
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

function newProduct(call: EnrolBullionCall): Product {
  for (const path of DESCRIPTION) {
    if (call[path] === undefined)
      throw unprocessable(path, 'is needed for a product that is not in the table');
  }
  const { productId, name, metal, fineness, massG, diameterMm, thicknessMm } =
    call as Required<EnrolBullionCall>;
  try {
    materialOf(metal, fineness);
  } catch (error) {
    if (!(error instanceof FinenessError)) throw error;
    throw unprocessable('fineness', error.message, { bound: `≥ ${error.min}`, got: String(fineness) });
  }
  const source = 'as the operator enrolled it';
  return { productId, name, metal, fineness, massG, diameterMm, thicknessMm: thicknessMm ?? null, source };
}

function requireSame(product: Product, call: EnrolBullionCall, isKnown: boolean): void {
  if (!isKnown) return;
  for (const path of ['metal', 'fineness', 'diameterMm', 'thicknessMm'] as const) {
    const [bound, got] = [product[path], call[path]];
    if (got !== undefined && bound !== null && got !== bound) {
      const message = `of ${product.productId} is ${bound}`;
      throw unprocessable(path, message, { bound: String(bound), got: String(got) });
    }
  }
  const { massG } = call;
  if (massG === undefined) return;
  const tolerance = product.massTolerancePercent ?? MASS_TOLERANCE_PERCENT;
  if (Math.abs(100 * (massG / product.massG - 1)) > tolerance) {
    const message = `must lie within ${tolerance} % of ${product.massG} g`;
    throw unprocessable('massG', message, { bound: String(product.massG), got: String(massG) });
  }
}

function modesOf(product: Product, { peaks }: HeardRing): SpecimenMode[] {
  try {
    return specimenModes(product, peaks);
  } catch (error) {
    if (!(error instanceof EnrolmentError)) throw error;
    const { message, min, got } = error;
    throw unprocessable('recordingBase64', message, { bound: String(min), got: String(got) });
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

async function insertEnrolment(
  manager: EntityManager,
  by: KeyHolder,
  { productId, specimen, massG }: EnrolBullionCall,
  { recorded, heard, modes }: { recorded: RecordedRing; heard: HeardRing; modes: readonly SpecimenMode[] },
): Promise<Pick<BullionEnrolment, 'enrolmentId' | 'enrolledAt'>> {
  const enrolmentId = `enr_${randomBytes(16).toString('base64url')}`;
  const digest = Buffer.from(recorded.sha256.slice(2), 'hex');
  const rows: Row[] = await manager.query(
    `INSERT INTO bullion_enrolment (enrolment_id, product_id, specimen, mass_g, recording_sha256, peaks, modes,
                                    enrolled_by_account, enrolled_by_key)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     ON CONFLICT (product_id, recording_sha256) DO NOTHING RETURNING enrolled_at`,
    [
      ...[enrolmentId, productId, specimen, massG ?? null, digest],
      ...[JSON.stringify(heard.peaks), JSON.stringify(modes), by.accountId, by.keyId],
    ],
  );
  if (rows.length === 0) {
    throw problem('CONFLICT', 'This recording is enrolled already', {
      errors: [{ path: 'recordingBase64', message: 'is enrolled already', got: recorded.sha256 }],
    });
  }
  return { enrolmentId, enrolledAt: (rows[0].enrolled_at as Date).toISOString() };
}

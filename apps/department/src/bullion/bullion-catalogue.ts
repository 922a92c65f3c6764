import { Injectable } from '@nestjs/common';
import type { BullionProduct } from '@svc/contracts';
import {
  type AddedReading,
  enrolledModes,
  nearSlugs,
  pieceOfProduct,
  type PreciousMetal,
  type Product,
  PRODUCTS,
  productTest,
  readingsToPass,
  type ReferenceMode,
  referenceOfProduct,
  type RingReference,
  type Specimen,
} from '@svc/metals';
import { unprocessable } from '@svc/platform';
import { setImmediate } from 'node:timers/promises';
import { DataSource, type EntityManager } from 'typeorm';

type Row = Record<string, unknown>;

/** A product with what it is expected to ring at. */
export interface ReferencedProduct {
  readonly product: Product;
  readonly reference: RingReference;
  readonly specimens: readonly Specimen[];
}

/** Products of the table and those that operators have enrolled, with their references. */
@Injectable()
export class BullionCatalogue {
  constructor(private readonly dataSource: DataSource) {}

  /** @throws ProblemError UNPROCESSABLE for a slug that is not known, which names those that are like it */
  async get(productId: string, manager: EntityManager = this.dataSource.manager): Promise<ReferencedProduct> {
    const found = await this.find(productId, manager);
    if (found) return found;
    const rows: Row[] = await manager.query(`SELECT product_id FROM bullion_product`);
    const known = [...PRODUCTS.keys(), ...rows.map(row => row.product_id as string)];
    const near = nearSlugs(productId, known);
    const hint = near.length > 0 ? `; did you mean ${near.join(' or ')}?` : '';
    throw unprocessable('productId', `is not a known product${hint}`, {
      got: productId,
      extensions: { nearProductIds: near },
    });
  }

  async find(productId: string, manager: EntityManager): Promise<ReferencedProduct | undefined> {
    const product = PRODUCTS.get(productId) ?? (await this.enrolledProduct(productId, manager));
    if (!product) return undefined;
    const rows: Row[] = await manager.query(
      `SELECT specimen, modes FROM bullion_enrolment WHERE product_id = $1 ORDER BY enrolled_at, enrolment_id`,
      [productId],
    );
    return referenced(product, rows.map(specimenOf));
  }

  async list(): Promise<BullionProduct[]> {
    const products: Row[] = await this.dataSource.query(
      `SELECT * FROM bullion_product ORDER BY created_at, product_id`,
    );
    const rows: Row[] = await this.dataSource.query(
      `SELECT product_id, specimen, modes FROM bullion_enrolment ORDER BY enrolled_at, enrolment_id`,
    );
    const specimens = new Map<string, Specimen[]>();
    for (const row of rows) {
      const productId = row.product_id as string;
      specimens.set(productId, [...(specimens.get(productId) ?? []), specimenOf(row)]);
    }
    const items: BullionProduct[] = [];
    for (const product of [...PRODUCTS.values(), ...products.map(productOf)]) {
      items.push(published(referenced(product, specimens.get(product.productId) ?? [])));
      // The first list judges a piece of each product: other calls have their turn between two.
      await setImmediate();
    }
    return items;
  }

  private async enrolledProduct(productId: string, manager: EntityManager): Promise<Product | undefined> {
    const rows: Row[] = await manager.query(`SELECT * FROM bullion_product WHERE product_id = $1`, [
      productId,
    ]);
    return rows.map(productOf).at(0);
  }
}

function referenced(product: Product, specimens: readonly Specimen[]): ReferencedProduct {
  const enrolled = { specimens: specimens.length, modes: enrolledModes(specimens) };
  return { product, specimens, reference: referenceOfProduct(product, enrolled) };
}

/** A product as it is published. */
export function published({ product, reference }: ReferencedProduct): BullionProduct {
  const { productId, name, metal, fineness, massG, diameterMm, thicknessMm, source } = product;
  const { densityGcc, conductivityMSm } = pieceOfProduct(product).material;
  const rounded = (value: number) => Math.round(value * 100) / 100;
  const passNeeds = passNeedsOf(product, reference);
  return {
    ...{ productId, name, metal, fineness, massG, diameterMm, thicknessMm },
    densityGcc: rounded(densityGcc),
    conductivityMSm: conductivityMSm === undefined ? null : rounded(conductivityMSm),
    reference: reference.kind,
    modesHz: reference.modes.map(publishedMode),
    passNeeds: passNeeds && [...passNeeds],
    needsEnrolment: passNeeds === null,
    source: `modes: ${reference.source}; measures: ${source}`,
  };
}

/** Judging a perfect piece takes some ten milliseconds, and the list is free: what came of a reference is kept. */
const KEPT_REFERENCES_MAX = 512;
const keptNeeds = new Map<string, readonly AddedReading[] | null>();

function passNeedsOf(product: Product, reference: RingReference): readonly AddedReading[] | null {
  const key = JSON.stringify([product, reference.modes]);
  const kept = keptNeeds.get(key);
  if (kept !== undefined) return kept;
  const needs = readingsToPass(productTest(product, { massG: product.massG, peaks: [] }, reference));
  if (keptNeeds.size >= KEPT_REFERENCES_MAX) keptNeeds.clear();
  keptNeeds.set(key, needs);
  return needs;
}

const publishedMode = ({ mode, linesHz, uncertainty }: ReferenceMode) => ({
  n: mode,
  frequenciesHz: linesHz.map(hz => Math.round(hz * 10) / 10),
  uncertaintyPercent: Math.round(uncertainty * 1e4) / 100,
});

const specimenOf = (row: Row): Specimen => ({
  specimen: row.specimen as string,
  modes: row.modes as Specimen['modes'],
});

const productOf = (row: Row): Product => ({
  productId: row.product_id as string,
  name: row.name as string,
  metal: row.metal as PreciousMetal,
  fineness: row.fineness as number,
  massG: row.mass_g as number,
  diameterMm: row.diameter_mm as number,
  thicknessMm: row.thickness_mm as number | null,
  source: 'as the operator enrolled it',
});

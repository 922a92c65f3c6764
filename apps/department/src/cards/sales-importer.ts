import { Injectable } from '@nestjs/common';
import {
  IMPORT_FAULTS_MAX,
  type ImportSalesRequest,
  type KeyHolder,
  SALES_IMPORT_MAX,
  type SalesImport,
} from '@svc/contracts';
import { inTransaction, KeyedDigests } from '@svc/platform';
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { DataSource, type EntityManager } from 'typeorm';
import type { z } from 'zod';
import { CardCatalogue, isSameCard, type KnownCard } from './card-catalogue.js';
import { type CheckedSale, checkSale, type CheckTerms, type RowFault } from './checked-sale.js';
import {
  type FaultyRow,
  type ImportSource,
  nextImportId,
  quarantine,
  recordImport,
} from './import-record.js';
import { implausiblePrices } from './price-plausibility.js';
import { type CsvSale, type RawSale, readSalesCsv } from './sales-csv.js';
import { firstOfEach, SalesStore } from './sales-store.js';

/** Rows after which other work has its turn. */
const ROWS_A_TURN = 500;

/** A row, and why it is not taken as far as its own text says, or the sale that it is. */
interface Row extends FaultyRow {
  readonly sale?: CheckedSale;
}

/** A row that was taken. */
interface SoundRow extends Row {
  readonly sale: CheckedSale;
}

/** Brings sales in: all rows of an import in one transaction, each accepted, known already, or quarantined with its reasons. */
@Injectable()
export class SalesImporter {
  constructor(
    private readonly dataSource: DataSource,
    private readonly catalogue: CardCatalogue,
    private readonly sales: SalesStore,
    private readonly digests: KeyedDigests,
  ) {}

  /** @throws ProblemError UNPROCESSABLE for a CSV that cannot be read as sales; OVERLOADED while another import is at work */
  async import(
    by: KeyHolder,
    request: z.output<typeof ImportSalesRequest>,
    terms: CheckTerms,
  ): Promise<SalesImport> {
    const isCsv = 'csv' in request;
    const raw: readonly CsvSale[] = isCsv
      ? await readSalesCsv(request.csv, { rowsMax: SALES_IMPORT_MAX })
      : request.sales.map(sale => ({ sale }));
    const bodyDigest = createHash('sha256')
      .update(isCsv ? request.csv : JSON.stringify(request.sales), 'utf8')
      .digest('hex');
    const rows = await checked(raw, terms);
    const source = { source: isCsv ? 'csv' : 'json', by, bodyDigest } as const;
    if (!request.dryRun) return inTransaction(this.dataSource, manager => this.take(manager, rows, source));
    return this.tried(manager => this.take(manager, rows, source));
  }

  /** What an import would come to: it is made, and its transaction ended as if it had not been. */
  private async tried(take: (manager: EntityManager) => Promise<SalesImport>): Promise<SalesImport> {
    const undone = new Error('a dry run keeps nothing');
    let result: SalesImport | undefined;
    try {
      await inTransaction(this.dataSource, async manager => {
        result = await take(manager);
        throw undone;
      });
    } catch (error) {
      if (error !== undone || !result) throw error;
    }
    return { ...result!, importId: null };
  }

  async hasCards(manager: EntityManager = this.dataSource.manager): Promise<boolean> {
    const cards: unknown[] = await manager.query(`SELECT 1 FROM card LIMIT 1`);
    return cards.length > 0;
  }

  /**
   * Takes rows that a generator made, where there is no card yet.
   * @returns undefined where there is one
   */
  async seed(
    raw: readonly RawSale[],
    source: ImportSource,
    terms: CheckTerms,
  ): Promise<SalesImport | undefined> {
    const rows = await checked(
      raw.map(sale => ({ sale })),
      terms,
    );
    return inTransaction(this.dataSource, async manager => {
      await this.sales.lock(manager);
      return (await this.hasCards(manager)) ? undefined : this.take(manager, rows, source);
    });
  }

  /** An import of its own for one sale that a person vouches for: its price is believed. */
  async takeOne(manager: EntityManager, sale: CheckedSale, source: ImportSource): Promise<TakenOne> {
    await this.sales.lock(manager);
    const importId = await nextImportId(manager);
    const { cards, strange } = await this.withCards(manager, [soundRow(sale)], importId);
    if (strange.length > 0) return { faults: strange[0].faults };
    const card = cards.get(sale.cardKey)!;
    const [stored] = await this.sales.add(manager, [sale], cardIdsOf(cards), importId);
    const counts = { rows: 1, accepted: 0, duplicates: 0, quarantined: 0 };
    if (stored === 'duplicate') {
      await recordImport(manager, importId, source, { ...counts, duplicates: 1 }, this.digests);
      return { state: 'duplicate', saleId: await this.sales.idOf(manager, sale) };
    }
    await recordImport(manager, importId, source, { ...counts, accepted: 1 }, this.digests);
    if (stored === 'new') return { state: 'accepted', saleId: await this.sales.idOf(manager, sale) };
    const { saleId, before } = await this.sales.replace(manager, sale, card.cardId);
    return { state: 'accepted', saleId, replaced: before };
  }

  private async take(
    manager: EntityManager,
    rows: readonly Row[],
    source: ImportSource,
  ): Promise<SalesImport> {
    await this.sales.lock(manager);
    const importId = await nextImportId(manager);
    const quarantined = rows.filter(({ sale }) => sale === undefined);
    const sound = rows.filter((row): row is SoundRow => row.sale !== undefined);
    const known = await this.sales.knownPrices(manager, sound.map(saleOf));
    const reasons = implausiblePrices(sound.map(saleOf), known);
    quarantined.push(
      ...sound.flatMap((row, i) => (reasons[i] === undefined ? [] : [faulty(row, 'price', reasons[i])])),
    );
    const plausible = sound.filter((_, i) => reasons[i] === undefined);
    const { cards, taken, strange, newCards } = await this.withCards(manager, plausible, importId);
    quarantined.push(...strange);
    const stored = await this.sales.add(manager, taken.map(saleOf), cardIdsOf(cards), importId);
    quarantined.push(
      ...taken
        .filter((_, i) => stored[i] === 'conflict')
        .map(row => faulty(row, 'itemId', 'is known of this venue as another sale')),
    );
    quarantined.sort((a, b) => a.number - b.number);
    await quarantine(manager, quarantined, importId);
    const counts = {
      rows: rows.length,
      accepted: stored.filter(state => state === 'new').length,
      duplicates: stored.filter(state => state === 'duplicate').length,
      quarantined: quarantined.length,
    };
    await recordImport(manager, importId, source, counts, this.digests);
    const faults = quarantined.flatMap(({ number, faults }) =>
      faults.map(({ field, message, got }) => ({ row: number, field, message, got })),
    );
    return { importId: `i${importId}`, ...counts, newCards, faults: faults.slice(0, IMPORT_FAULTS_MAX) };
  }

  /** Sees to it that the catalogue has the cards of sales; a sale whose card's key is another card's is set aside. */
  private async withCards(manager: EntityManager, rows: readonly SoundRow[], importId: string) {
    const firstOfCard = firstOfEach(rows.map(saleOf), ({ cardKey }) => cardKey);
    const isReal = new Set(rows.filter(({ sale }) => !sale.row.synthetic).map(({ sale }) => sale.cardKey));
    const marked = firstOfCard.map(sale => ({
      ...sale,
      row: { ...sale.row, synthetic: !isReal.has(sale.cardKey) },
    }));
    const newCards = await this.catalogue.add(manager, marked, importId);
    const cards = await this.catalogue.known(
      manager,
      firstOfCard.map(({ cardKey }) => cardKey),
    );
    const isOurs = ({ sale }: SoundRow) => isSameCard(cards.get(sale.cardKey)!, sale);
    const strange = rows
      .filter(row => !isOurs(row))
      .map(row => {
        const { title } = cards.get(row.sale.cardKey)!.card;
        return faulty(row, 'card', `has the key of another card, ${title.slice(0, 200)}`);
      });
    return { cards, taken: rows.filter(isOurs), strange, newCards };
  }
}

/** What became of one sale that a person vouched for. */
export type TakenOne =
  | { readonly faults: readonly RowFault[]; readonly state?: undefined }
  | {
      readonly faults?: undefined;
      readonly state: 'accepted' | 'duplicate';
      readonly saleId: string;
      /** The sale in whose place it is. */
      readonly replaced?: Readonly<Record<string, unknown>>;
    };

const saleOf = ({ sale }: SoundRow) => sale;
const soundRow = (sale: CheckedSale): SoundRow => ({ number: 1, raw: { ...sale.row }, sale, faults: [] });
const faulty = (row: Row, field: string, message: string): Row => ({
  ...row,
  faults: [...row.faults, { field, message }],
});
const cardIdsOf = (cards: ReadonlyMap<string, KnownCard>) =>
  new Map([...cards].map(([key, { cardId }]) => [key, cardId]));

async function checked(raw: readonly CsvSale[], terms: CheckTerms): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [index, { sale: text, fault }] of raw.entries()) {
    if (index % ROWS_A_TURN === ROWS_A_TURN - 1) await setImmediate();
    const { sale, faults = [] } = checkSale(text, terms);
    const row = { number: index + 1, raw: text };
    if (fault === undefined) rows.push({ ...row, sale, faults });
    else rows.push({ ...row, faults: [{ field: '', message: fault }, ...faults] });
  }
  return rows;
}

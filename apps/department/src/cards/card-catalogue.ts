import { Injectable } from '@nestjs/common';
import type { CardDescription, CatalogueCard } from '@svc/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import { cardTitleOf, cardWordsOf, type CardWords } from './card-key.js';
import type { CheckedSale } from './checked-sale.js';
import { allOf, anyOf, matchAll, matchAny } from './text-query.js';

type Row = Record<string, unknown>;

/** A card as the catalogue has it. */
export interface KnownCard {
  readonly cardId: string;
  readonly card: CatalogueCard;
  readonly words: CardWords;
  /** All that is known of it was made by a generator. */
  readonly synthetic: boolean;
}

const COLUMNS = `card_id, card_key, year, set_name, number, player, sport, parallel,
  set_words, number_words, player_words, parallel_words, sport_words, synthetic`;

/** What a catalogue shows of itself. */
export interface Sight {
  /** Whether cards are shown that only a generator's sales are known of. */
  readonly synthetic: boolean;
}

/** The cards that sales were imported of. */
@Injectable()
export class CardCatalogue {
  constructor(private readonly dataSource: DataSource) {}

  async byKey(cardKey: string, { synthetic }: Sight): Promise<KnownCard | undefined> {
    const rows: Row[] = await this.dataSource.manager.query(
      `SELECT ${COLUMNS} FROM card WHERE card_key = $1 AND ($2 OR NOT synthetic)`,
      [cardKey, synthetic],
    );
    return rows.map(cardOf)[0];
  }

  /** Cards of a year with a number, of which there are few: among them is whichever a description means. */
  async byNumber(card: CardDescription, { synthetic }: Sight): Promise<KnownCard[]> {
    const rows: Row[] = await this.dataSource.manager.query(
      `SELECT ${COLUMNS} FROM card
        WHERE year = $1 AND number_words = $2 AND ($3 OR NOT synthetic) ORDER BY card_key LIMIT 1000`,
      [card.year, cardWordsOf(card).number, synthetic],
    );
    return rows.map(cardOf);
  }

  /**
   * Cards that have every word of a text, the last of which may be the beginning of one; those that have it whole come
   * first, then by rank, those with less beside it before others.
   */
  async search(text: string, limit: number, { synthetic }: Sight): Promise<CatalogueCard[]> {
    const { whole, begun } = matchAll(text);
    if (begun === '') return [];
    const rows: Row[] = await this.dataSource.manager.query(
      `SELECT ${COLUMNS} FROM card, to_tsquery('simple', $1) AS begun, to_tsquery('simple', $2) AS whole
        WHERE search @@ begun AND ($4 OR NOT synthetic)
        ORDER BY search @@ whole DESC, ts_rank(search, begun, 1) DESC, card_key LIMIT $3`,
      [begun, whole, limit, synthetic],
    );
    return rows.map(row => cardOf(row).card);
  }

  /** Cards that share words with a description, those that share most of what tells cards apart first. */
  async like(card: CardDescription, limit: number, { synthetic }: Sight): Promise<CatalogueCard[]> {
    const words = cardWordsOf(card);
    const [player, set, number] = [words.player, words.set, words.number].map(matchAny);
    const place = anyOf([String(card.year), set, number]);
    const rows: Row[] = await this.dataSource.manager.query(
      `SELECT ${COLUMNS} FROM card, to_tsquery('simple', $1) AS query
        WHERE search @@ query AND ($3 OR NOT synthetic)
        ORDER BY ts_rank(search, to_tsquery('simple', $4), 1) DESC, card_key LIMIT $2`,
      [
        anyOf([allOf([player, place]), allOf([String(card.year), set, number])]),
        ...[limit, synthetic, anyOf([player, place])],
      ],
    );
    return rows.map(row => cardOf(row).card);
  }

  /** Cards by their keys. */
  async known(manager: EntityManager, cardKeys: readonly string[]): Promise<Map<string, KnownCard>> {
    const rows: Row[] = await manager.query(`SELECT ${COLUMNS} FROM card WHERE card_key = ANY($1)`, [
      cardKeys,
    ]);
    return new Map(rows.map(row => [row.card_key as string, cardOf(row)]));
  }

  /**
   * Puts the cards of sales that it does not know into the catalogue, and takes the mark off those that were known from a
   * generator alone and are now sold in earnest.
   * @param sales at most one of a card
   * @returns how many are new
   */
  async add(manager: EntityManager, sales: readonly CheckedSale[], importId: string): Promise<number> {
    const of = <T>(member: (sale: CheckedSale) => T) => sales.map(member);
    const added: Row[] = await manager.query(
      `INSERT INTO card (card_key, year, set_name, number, player, sport, parallel, set_words, number_words, player_words,
                         parallel_words, sport_words, synthetic, import_id)
       SELECT row.*, $14::bigint
         FROM unnest($1::text[], $2::smallint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
                     $9::text[], $10::text[], $11::text[], $12::text[], $13::boolean[]) AS row
       ON CONFLICT (card_key) DO NOTHING RETURNING card_id`,
      [
        of(sale => sale.cardKey),
        of(({ row }) => row.card.year),
        of(({ row }) => row.card.set),
        of(({ row }) => row.card.number),
        of(({ row }) => row.card.player),
        of(({ row }) => row.card.sport ?? null),
        of(({ row, words }) => (words.parallel === '' ? null : (row.card.parallel ?? null))),
        of(({ words }) => words.set),
        of(({ words }) => words.number),
        of(({ words }) => words.player),
        of(({ words }) => words.parallel),
        of(({ words }) => words.sport),
        of(({ row }) => row.synthetic),
        importId,
      ],
    );
    const real = sales.filter(({ row }) => !row.synthetic).map(({ cardKey }) => cardKey);
    await manager.query(`UPDATE card SET synthetic = false WHERE synthetic AND card_key = ANY($1)`, [real]);
    return added.length;
  }
}

/** Whether two descriptions with one key are of one card: keys put parts together that a description keeps apart. */
export const isSameCard = (known: KnownCard, { words, row }: CheckedSale): boolean =>
  known.card.year === row.card.year &&
  (['set', 'number', 'player', 'parallel'] as const).every(part => known.words[part] === words[part]);

function cardOf(row: Row): KnownCard {
  const described = {
    year: Number(row.year),
    set: row.set_name as string,
    number: row.number as string,
    player: row.player as string,
    ...(row.sport === null ? {} : { sport: row.sport as string }),
    ...(row.parallel === null ? {} : { parallel: row.parallel as string }),
  };
  return {
    cardId: String(row.card_id),
    card: { ...described, cardKey: row.card_key as string, title: cardTitleOf(described) },
    words: {
      set: row.set_words as string,
      number: row.number_words as string,
      player: row.player_words as string,
      parallel: row.parallel_words as string,
      sport: row.sport_words as string,
    },
    synthetic: row.synthetic as boolean,
  };
}

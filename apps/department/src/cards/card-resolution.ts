import { Injectable } from '@nestjs/common';
import { CARD_CANDIDATES_MAX, type CardDescription, type CatalogueCard } from '@svc/contracts';
import { problem } from '@svc/platform';
import { CardCatalogue, type KnownCard, type Sight } from './card-catalogue.js';
import { cardKeyOf, cardWordsOf, type CardWords } from './card-key.js';

/** What a request names a card by. */
export type NamedCard = { readonly cardKey: string } | { readonly card: CardDescription };

/**
 * The card that a request means, or a refusal: of two that it could mean neither is taken, since the one may be worth a
 * hundred times the other.
 */
@Injectable()
export class CardResolution {
  constructor(private readonly catalogue: CardCatalogue) {}

  /** @throws ProblemError UNPROCESSABLE, with the `candidates` that are like it */
  async resolve(named: NamedCard, sight: Sight): Promise<KnownCard> {
    if ('cardKey' in named) {
      const known = await this.catalogue.byKey(named.cardKey, sight);
      if (known) return known;
      const candidates = await this.catalogue.search(
        named.cardKey.replaceAll('-', ' '),
        CARD_CANDIDATES_MAX,
        sight,
      );
      throw refusal('cardKey', `The catalogue has no card ${named.cardKey}`, candidates);
    }
    const { card } = named;
    const exact = await this.catalogue.byKey(cardKeyOf(card), sight);
    if (exact && isMeantBy(exact.words, cardWordsOf(card))) return exact;
    const fitting = (await this.catalogue.byNumber(card, sight)).filter(known =>
      isMeantBy(known.words, cardWordsOf(card)),
    );
    if (fitting.length === 1) return fitting[0];
    if (fitting.length > 1) {
      const candidates = fitting.slice(0, CARD_CANDIDATES_MAX).map(known => known.card);
      throw refusal('card', `The description fits ${fitting.length} cards of the catalogue`, candidates);
    }
    const candidates = await this.catalogue.like(card, CARD_CANDIDATES_MAX, sight);
    throw refusal('card', 'The catalogue has no such card', candidates);
  }
}

/**
 * Whether a description means a card of its year: the same number and the same parallel (or none), the same words of the set
 * in any order, with the name of its sport or not, no other sport, and a player of whom one has all the words of the other
 * (`Jordan`).
 */
function isMeantBy(known: CardWords, asked: CardWords): boolean {
  if (known.number !== asked.number) return false;
  if (!sameWords(known.parallel, asked.parallel)) return false;
  if (asked.sport !== '' && known.sport !== '' && asked.sport !== known.sport) return false;
  const sports = new Set(known.sport.split(' '));
  const set = ({ set: words }: CardWords) => {
    const rest = words.split(' ').filter(word => !sports.has(word));
    return rest.length > 0 ? rest.join(' ') : words;
  };
  if (!sameWords(set(known), set(asked))) return false;
  return hasAll(known.player, asked.player) || hasAll(asked.player, known.player);
}

const sortedWords = (words: string) => words.split(' ').toSorted().join(' ');
const sameWords = (one: string, other: string) => sortedWords(one) === sortedWords(other);

function hasAll(words: string, wanted: string): boolean {
  const all = new Set(words.split(' '));
  return wanted.split(' ').every(word => all.has(word));
}

function refusal(path: string, detail: string, candidates: readonly CatalogueCard[]) {
  const message = candidates.length > 0 ? 'is not one card; see candidates' : 'is not in the catalogue';
  return problem('UNPROCESSABLE', detail, {
    errors: [{ path, message }],
    extensions: { candidates },
  });
}

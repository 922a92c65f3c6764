import * as Y from 'yjs';
import type { ItemPlace, TypePlace } from './document-view.js';
import { malformed, type OperationId } from './update-reader.js';
import { requireAtMost } from './update-refused.js';

/** The struct that has an operation: its first clock, and the document's item, or none where it is the update's own. */
export interface Holder {
  readonly start: number;
  readonly item?: Y.Item;
}

/** An operation that an item names as its neighbour, and the struct that has it. */
export interface Neighbour extends Holder {
  readonly id: OperationId;
}

/** An item as the update says it. */
export interface TakenItem {
  readonly id: OperationId;
  readonly length: number;
  readonly origin?: OperationId;
  readonly rightOrigin?: OperationId;
}

/** An item, or what others split off it, as it would stand once the update is merged up to here. */
interface Piece {
  readonly client: number;
  readonly clock: number;
  length: number;
  readonly origin?: OperationId | null;
  readonly rightOrigin?: OperationId | null;
  /** The document's item that it is of. */
  readonly item?: Y.Item;
  /** Not yet known where it is what stands right of that item. */
  right?: Piece | null;
  /** All pieces of its item, held by the first of them. */
  pieces?: Piece[];
}

/** A list, a text, or what a key of a map was ever set to: from left to right. */
interface Strand {
  readonly parent: TypePlace;
  readonly key?: string;
  /** Not yet known where nothing was put at the start. */
  first?: Piece | null;
  /** Upper bound of its pieces; of the document's, as far as `first` is known. */
  count: number;
}

/** Array elements that move in the time of one step, where an item is split in two. */
const ELEMENTS_PER_STEP = 64;

/**
 * Merges an update beside the document, to tell what that costs, and refuses what would take too long.
 *
 * An item names its neighbours at the time it was made, and is put between them, after a walk over what came there since. An
 * editor's own items are adjacent, so nearly all walks have no step; but a few bytes can name the two ends of a long list.
 *
 * The neighbours must also be what an editor could have seen side by side: the right one to the right, and nothing between them
 * that one of them builds on. Replicas end with one order only of such items; others they may put in another order each,
 * whether they get them from two writers in turn or from what one of them has encoded.
 *
 * Places are found as Yjs finds them, so the steps are those that it takes, and those over what is between two neighbours
 * neither of which names the other: an editor saw two side by side that were made apart.
 *
 * Source: Yjs 13.6, `Item.getMissing` and `Item.integrate`; Nicolaescu et al., Near Real-Time Peer-to-Peer Shared Editing on
 * Extensible Data Types, GROUP 2016.
 */
export class MergeSteps {
  #steps = 0;
  readonly #strands = new Map<TypePlace, Map<string, Strand>>();
  readonly #itemPieces = new Map<Y.Item, Piece>();
  readonly #ownPieces = new Map<string, Piece>();

  /** @param holderOf tells who has an operation that is here or was taken; none where it has no place */
  constructor(
    private readonly stepsMax: number,
    private readonly holderOf: (id: OperationId) => Holder | undefined,
  ) {}

  /** @throws UpdateRefused TOO_LARGE */
  take(steps: number): void {
    this.#steps += steps;
    requireAtMost('TOO_LARGE', 'steps to merge the update', this.#steps, this.stepsMax);
  }

  /** An item among `structCount` of its client is split in two. */
  takeSplit(structCount: number): void {
    this.take(1 + structCount / ELEMENTS_PER_STEP);
  }

  /** @throws UpdateRefused TOO_LARGE, or MALFORMED where no editor saw the neighbours side by side */
  takeItem(
    { id, length, origin, rightOrigin }: TakenItem,
    place: Exclude<ItemPlace, 'gone'>,
    left: Neighbour | undefined,
    right: Neighbour | undefined,
  ): void {
    this.take(1);
    // Within one item Yjs would split it for the right one, and be left with another left one than it had found.
    if (left && right && isSameHolder(left, right) && right.id.clock <= left.id.clock) refuseOrder();
    const strand = this.#strandOf(place);
    const leftPiece = left ? this.#endingAt(strand, left) : null;
    const rightPiece = right ? this.#startingAt(strand, right) : null;
    this.#requireGap(leftPiece, rightPiece);
    const piece: Piece = { ...id, length, origin, rightOrigin };
    this.#ownPieces.set(keyOf(id.client, id.clock), piece);
    this.#insert(strand, piece, leftPiece, rightPiece);
  }

  #strandOf({ parent, key }: Exclude<ItemPlace, 'gone'>): Strand {
    let strands = this.#strands.get(parent);
    if (!strands) this.#strands.set(parent, (strands = new Map()));
    let strand = strands.get(key ?? '');
    if (!strand) strands.set(key ?? '', (strand = { parent, key, count: 0 }));
    return strand;
  }

  /** Between two neighbours there was nothing when an item came there, so nothing either that one of them builds on. */
  #requireGap(left: Piece | null, right: Piece | null): void {
    if (left === null || right === null) {
      if (left?.rightOrigin || right?.origin) refuseGap();
      return;
    }
    // Whichever was put there last saw the other beside it.
    if (isAt(left.rightOrigin, right.client, right.clock) || isAt(right.origin, left.client, lastClock(left)))
      return;
    let piece = this.#rightOf(left);
    for (; piece !== null && piece !== right; piece = this.#rightOf(piece)) {
      this.take(1);
      if (has(piece, left.rightOrigin) || has(piece, right.origin)) refuseGap();
    }
    if (piece === null) refuseOrder();
  }

  #insert(strand: Strand, piece: Piece, leftNeighbour: Piece | null, right: Piece | null): void {
    let left = leftNeighbour;
    const next = left ? this.#rightOf(left) : this.#firstOf(strand);
    if (next !== right) left = this.#walk(strand, piece, left, next, right);
    if (left) {
      piece.right = this.#rightOf(left);
      left.right = piece;
    } else {
      this.#takeWayToFirst(strand);
      piece.right = this.#firstOf(strand);
      strand.first = piece;
    }
    strand.count += 1;
  }

  /** Of what a key was set to, Yjs keeps the last alone. */
  #takeWayToFirst({ key, count }: Strand): void {
    if (key !== undefined) this.take(count);
  }

  /** The piece to put another behind that has something between its neighbours. */
  #walk(
    strand: Strand,
    piece: Piece,
    from: Piece | null,
    next: Piece | null,
    end: Piece | null,
  ): Piece | null {
    let left = from;
    if (from === null) this.#takeWayToFirst(strand);
    const before = new Set<Piece>();
    const rivals = new Set<Piece>();
    for (let other = next; other !== null && other !== end; other = this.#rightOf(other)) {
      this.take(1);
      before.add(other);
      rivals.add(other);
      if (isSame(piece.origin, other.origin)) {
        if (other.client < piece.client) {
          left = other;
          rivals.clear();
        } else if (isSame(piece.rightOrigin, other.rightOrigin)) break;
      } else {
        const origin = other.origin ? this.#pieceAt(other.origin) : undefined;
        if (!origin || !before.has(origin)) break;
        if (!rivals.has(origin)) {
          left = other;
          rivals.clear();
        }
      }
    }
    return left;
  }

  #firstOf(strand: Strand): Piece | null {
    if (strand.first !== undefined) return strand.first;
    const { parent, key } = strand;
    let item = (key === undefined ? parent.type?._start : parent.type?._map.get(key)) ?? null;
    if (key !== undefined && item)
      for (strand.count += 1; item.left !== null; item = item.left, strand.count += 1) this.take(1);
    return (strand.first = item && this.#firstPieceOf(item));
  }

  #rightOf(piece: Piece): Piece | null {
    if (piece.right !== undefined) return piece.right;
    const right = piece.item?.right ?? null;
    return (piece.right = right && this.#firstPieceOf(right));
  }

  #firstPieceOf(item: Y.Item): Piece {
    let piece = this.#itemPieces.get(item);
    if (!piece) {
      const { id, length, origin, rightOrigin } = item;
      piece = { client: id.client, clock: id.clock, length, origin, rightOrigin, item };
      this.#itemPieces.set(item, piece);
    }
    return piece;
  }

  #pieceAt(id: OperationId): Piece | undefined {
    const holder = this.holderOf(id);
    const first = holder && this.#firstPieceAt({ ...holder, id });
    return first?.pieces ? first.pieces[indexIn(first.pieces, id.clock)] : first;
  }

  #firstPieceAt({ id, start, item }: Neighbour): Piece | undefined {
    return item ? this.#firstPieceOf(item) : this.#ownPieces.get(keyOf(id.client, start));
  }

  /** The piece that ends with an operation, split off what follows on it. */
  #endingAt(strand: Strand, neighbour: Neighbour): Piece {
    const first = this.#firstPieceAt(neighbour) as Piece;
    this.#split(strand, first, neighbour.id.clock + 1);
    const { pieces } = first;
    return pieces ? pieces[indexIn(pieces, neighbour.id.clock)] : first;
  }

  /** The piece that starts with an operation, split off what is before it. */
  #startingAt(strand: Strand, neighbour: Neighbour): Piece {
    const first = this.#firstPieceAt(neighbour) as Piece;
    this.#split(strand, first, neighbour.id.clock);
    const { pieces } = first;
    return pieces ? pieces[indexIn(pieces, neighbour.id.clock)] : first;
  }

  /** Has a piece of an item start at a clock, unless the item ends before it. */
  #split(strand: Strand, first: Piece, clock: number): void {
    const index = first.pieces ? indexIn(first.pieces, clock) : 0;
    const piece = first.pieces ? first.pieces[index] : first;
    if (piece.clock === clock || clock > lastClock(piece)) return;
    const { client, rightOrigin, item, right } = piece;
    const length = piece.clock + piece.length - clock;
    const rest: Piece = {
      client,
      clock,
      length,
      origin: { client, clock: clock - 1 },
      rightOrigin,
      item,
      right,
    };
    piece.length -= length;
    piece.right = rest;
    (first.pieces ??= [first]).splice(index + 1, 0, rest);
    strand.count += 1;
  }
}

function refuseOrder(): never {
  return malformed('a right neighbour left of the left one');
}

function refuseGap(): never {
  return malformed('neighbours with something between them that one of them builds on');
}

const keyOf = (client: number, clock: number) => `${client}:${clock}`;
const lastClock = ({ clock, length }: Piece) => clock + length - 1;

const isSameHolder = (a: Neighbour, b: Neighbour) => a.id.client === b.id.client && a.start === b.start;

const isAt = (id: OperationId | null | undefined, client: number, clock: number) =>
  id?.client === client && id.clock === clock;

const has = (piece: Piece, id: OperationId | null | undefined) =>
  id?.client === piece.client && id.clock >= piece.clock && id.clock <= lastClock(piece);

const isSame = (a: OperationId | null | undefined, b: OperationId | null | undefined) =>
  a && b ? isAt(a, b.client, b.clock) : !a && !b;

/** Of the last piece that does not start after a clock. */
function indexIn(pieces: readonly Piece[], clock: number): number {
  let low = 0;
  for (let high = pieces.length - 1; low < high;) {
    const middle = (low + high + 1) >> 1;
    if (pieces[middle].clock <= clock) low = middle;
    else high = middle - 1;
  }
  return low;
}

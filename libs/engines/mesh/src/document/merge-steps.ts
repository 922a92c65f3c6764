import * as Y from 'yjs';
import type { ItemPlace, TypePlace } from './document-view.js';
import { malformed, type OperationId } from './update-reader.js';
import { requireAtMost } from './update-refused.js';

/** A neighbour that an item names: the operation, and the document's item that has it, or none where it is the update's own. */
export interface Neighbour {
  readonly id: OperationId;
  readonly item?: Y.Item;
}

/** What an update has put into one list, or under one key of a map. */
interface OwnEntries {
  count: number;
  /** The last one put right behind each left neighbour, by that neighbour. */
  readonly behind: Map<string, { id: string; isAdjacent: boolean }>;
}

const START = 'start';
/** Array elements that move in the time of one step, where an item is split in two. */
const ELEMENTS_PER_STEP = 64;

/**
 * Counts what merging an update would cost before it is merged, and refuses what would take too long.
 *
 * An item names its neighbours at the time it was made, and is put between them, after a walk over what came there since. An
 * editor's own items are adjacent, so nearly all walks have no step; but a few bytes can name the two ends of a long list. Also
 * a right neighbour must stand to the right: replicas that get such an update and others' in another order might else differ.
 *
 * The count is exact for neighbours that are next to each other, and an upper bound elsewhere but for the update's own items
 * in the midst of others' (some 10,000 at most for each 1,000 steps).
 *
 * Source: Yjs 13.6, `Item.integrate`; Nicolaescu et al., Near Real-Time Peer-to-Peer Shared Editing on Extensible Data Types,
 * GROUP 2016.
 */
export class MergeSteps {
  #steps = 0;
  readonly #own = new Map<TypePlace, Map<string, OwnEntries>>();

  constructor(private readonly stepsMax: number) {}

  /** @throws UpdateRefused TOO_LARGE */
  take(steps: number): void {
    this.#steps += steps;
    requireAtMost('TOO_LARGE', 'steps to merge the update', this.#steps, this.stepsMax);
  }

  /** An item among `structCount` of its client is split in two. */
  takeSplit(structCount: number): void {
    this.take(1 + structCount / ELEMENTS_PER_STEP);
  }

  /** @throws UpdateRefused TOO_LARGE, or MALFORMED where the right neighbour stands left of the left one */
  takeItem(
    id: OperationId,
    place: Exclude<ItemPlace, 'gone'>,
    left: Neighbour | undefined,
    right: Neighbour | undefined,
  ): void {
    const own = this.#entriesOf(place);
    const leftKey = left ? keyOf(left.id) : START;
    const last = own.behind.get(leftKey);
    const isBeforeLast = last !== undefined && right !== undefined && keyOf(right.id) === last.id;
    let isAdjacent = true;
    if (!(isBeforeLast && last.isAdjacent)) isAdjacent = this.#walk(place, left, right) === 0 && !last;
    // Behind the same neighbour, but not as an editor puts one item before another: over all that is its own.
    this.take(last && !isBeforeLast ? own.count : 1);
    own.count += 1;
    own.behind.set(leftKey, { id: keyOf(id), isAdjacent });
  }

  #entriesOf({ parent, key = '' }: Exclude<ItemPlace, 'gone'>): OwnEntries {
    let keys = this.#own.get(parent);
    if (!keys) this.#own.set(parent, (keys = new Map()));
    let own = keys.get(key);
    if (!own) keys.set(key, (own = { count: 0, behind: new Map() }));
    return own;
  }

  /** Takes the steps over the document's items between two neighbours, and says how many they are. */
  #walk(
    place: Exclude<ItemPlace, 'gone'>,
    left: Neighbour | undefined,
    right: Neighbour | undefined,
  ): number {
    if (left && !left.item) return 0;
    if (left?.item && right?.item && left.item === right.item) {
      // Within one item: it is split, and its right part is all that may stand between.
      if (right.id.clock <= left.id.clock) malformed('a right neighbour left of the left one');
      return right.id.clock === left.id.clock + 1 ? 0 : 1;
    }
    const isSplit = left?.item && left.id.clock !== left.item.id.clock + left.item.length - 1;
    let item = left?.item ? left.item.right : this.#firstOf(place);
    // Yjs looks no further where the first in between was not put there as this one is.
    const isSibling = isSplit || (item !== null && Y.compareIDs(item.origin, left ? idOf(left) : null));
    if (!isSibling && !right?.item) return item === null ? 0 : 1;
    let steps = isSplit ? 1 : 0;
    for (; item !== null && item !== right?.item; item = item.right) {
      this.take(1);
      steps += 1;
    }
    if (right?.item && item === null) malformed('a right neighbour left of the left one');
    return steps;
  }

  #firstOf({ parent, key }: Exclude<ItemPlace, 'gone'>): Y.Item | null {
    if (key === undefined) return parent.type?._start ?? null;
    let first = parent.type?._map.get(key) ?? null;
    for (; first !== null && first.left !== null; first = first.left) this.take(1);
    return first;
  }
}

const keyOf = ({ client, clock }: OperationId) => `${client}:${clock}`;
const idOf = ({ id: { client, clock } }: Neighbour) => Y.createID(client, clock);

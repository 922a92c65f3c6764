import * as Y from 'yjs';
import type { DocumentBounds } from './document-bounds.js';
import type { DocumentView, ItemPlace, TypePlace } from './document-view.js';
import { type Holder, MergeSteps, type Neighbour } from './merge-steps.js';
import {
  type DeletedRange,
  malformed,
  type OperationId,
  type ReadStruct,
  type ReadUpdate,
} from './update-reader.js';
import { requireAtMost, UpdateRefused } from './update-refused.js';

/** What an update would do. */
export interface Judgement {
  /** Whether it has anything that the document has not. */
  readonly changes: boolean;
  /** Whether some of its operations are here already: those must be cut off before it is merged. */
  readonly repeats: boolean;
  /** Clients with operations that are new here. */
  readonly writers: readonly number[];
  /** Upper bound of what the encoded document grows by, beside the bytes of the update. */
  readonly growthBytes: number;
}

/** Who an update is from: a peer may not touch `nodes`, and may not ask for more work than the bounds say. */
export interface JudgePolicy {
  readonly isPeer: boolean;
  readonly bounds: DocumentBounds;
}

/** An item that is split in two: the ids of its right part's neighbours, its head, and a deleted range. */
const SPLIT_BYTES_MAX = 64;
/** What a struct may add to the ranges that are deleted: itself, or what had its key, and the client's head. */
const RANGE_BYTES_MAX = 32;

/**
 * Says what an update would do to a document, without doing it, in time linear in the update but for the walks that
 * {@link MergeSteps} bounds.
 *
 * Yjs merges what it can, keeps the rest for later and cannot go back; it also throws in the midst of merging where an update
 * names what no editor would. So an update that passes here is whole, in order and well-formed: all that it builds on is in
 * the document or before it in the update, every item has a place that fits it, and merging leaves nothing pending.
 *
 * @throws UpdateRefused MALFORMED, INCOMPLETE, NOT_JSON, TOO_LARGE, and for a peer FOREIGN_ENTRY
 */
export function judgeUpdate(view: DocumentView, update: ReadUpdate, policy: JudgePolicy): Judgement {
  return new UpdateJudge(view, update, policy).judge();
}

/** The operations of one client that are new, as far as they are placed. */
interface Placing {
  readonly structs: readonly ReadStruct[];
  next: number;
  /** Of the next operation that is neither here nor placed. */
  clock: number;
  readonly placed: {
    readonly clock: number;
    readonly length: number;
    place: ItemPlace;
    holds?: TypePlace | 'gone';
  }[];
}

class UpdateJudge {
  readonly #placings = new Map<number, Placing>();
  readonly #steps: MergeSteps;
  #repeats = false;
  #splits = 0;
  #structs = 0;

  constructor(
    private readonly view: DocumentView,
    private readonly update: ReadUpdate,
    private readonly policy: JudgePolicy,
  ) {
    this.#steps = new MergeSteps(policy.isPeer ? policy.bounds.stepsMax : Infinity, id => this.#holderOf(id));
  }

  judge(): Judgement {
    for (const [client, structs] of this.update.structs)
      this.#placings.set(client, { structs, next: 0, clock: this.view.clockOf(client), placed: [] });
    // In the order in which Yjs merges them, which its steps depend on.
    for (const client of [...this.#placings.keys()].sort((a, b) => b - a)) this.#placeAll(client);
    let deletes = false;
    for (const [client, ranges] of this.update.deleted)
      deletes = this.#judgeDeleted(client, ranges) || deletes;
    const writers: number[] = [];
    for (const [client, { placed }] of this.#placings) if (placed.length > 0) writers.push(client);
    return {
      changes: writers.length > 0 || deletes,
      repeats: this.#repeats,
      writers,
      growthBytes: this.#splits * SPLIT_BYTES_MAX + this.#structs * RANGE_BYTES_MAX,
    };
  }

  /** Places what a client has, and before each item whatever of other clients it builds on. */
  #placeAll(client: number): void {
    const waiting = [client];
    const isWaiting = new Set(waiting);
    while (waiting.length > 0) {
      const current = waiting[waiting.length - 1];
      const placing = this.#placings.get(current);
      const struct = placing?.structs[placing.next];
      const needed = struct && this.#neededBy(current, struct);
      if (needed !== undefined) {
        if (isWaiting.has(needed)) throw incomplete(`client ${needed} waits for itself`);
        if (!this.#hasMore(needed)) throw incomplete(`operations of client ${needed} are not here`);
        waiting.push(needed);
        isWaiting.add(needed);
        continue;
      }
      if (placing && struct) {
        this.#place(current, placing, struct);
        placing.next += 1;
      }
      // Whoever waits for it may have what it waits for.
      if (waiting.length > 1 || !this.#hasMore(current)) isWaiting.delete(waiting.pop() as number);
    }
  }

  #hasMore(client: number): boolean {
    const placing = this.#placings.get(client);
    return placing !== undefined && placing.next < placing.structs.length;
  }

  /** The client that must be placed further before this one; none where all that it names is here. */
  #neededBy(client: number, struct: ReadStruct): number | undefined {
    if (!struct.item || struct.clock + struct.length <= this.view.clockOf(client)) return undefined;
    const { origin, rightOrigin, parent } = struct.item;
    for (const id of [origin, rightOrigin, typeof parent === 'object' ? parent : undefined]) {
      if (!id) continue;
      if (id.client === client) {
        if (id.clock >= struct.clock) malformed('an item that builds on itself or on a later one');
      } else if (id.clock >= this.#clockOf(id.client)) return id.client;
    }
    return undefined;
  }

  #clockOf(client: number): number {
    return this.#placings.get(client)?.clock ?? this.view.clockOf(client);
  }

  #place(client: number, placing: Placing, struct: ReadStruct): void {
    const end = struct.clock + struct.length;
    // Its beginning is here; the rest follows that, wherever it is by now.
    const isRest = struct.clock < placing.clock;
    this.#repeats ||= isRest;
    if (end <= placing.clock) return;
    if (struct.clock > placing.clock) throw incomplete(`client ${client} has a gap before ${struct.clock}`);
    const clock = placing.clock;
    const item = isRest ? struct.item && restOf(struct.item, { client, clock: clock - 1 }) : struct.item;
    const place = item ? this.#placeItem({ client, clock }, end - clock, item) : 'gone';
    const holds = item && place !== 'gone' ? this.#checkContent(item, place, end - clock) : undefined;
    this.#structs += 1;
    placing.placed.push({ clock, length: end - clock, place, holds });
    placing.clock = end;
  }

  #placeItem(id: OperationId, length: number, item: Item): ItemPlace {
    const left = item.origin && this.#look(item.origin);
    const right = item.rightOrigin && this.#look(item.rightOrigin);
    if (left && item.origin && item.origin.clock !== left.end - 1) this.#split(item.origin);
    if (right && item.rightOrigin && item.rightOrigin.clock !== right.start) this.#split(item.rightOrigin);
    // Also where one of them is gone and the other is not: Yjs forgets the item, yet splits what has the other, and so
    // replicas that get the item would differ from those that get what became of it.
    if (left && right && !isSamePlace(left.place, right.place)) malformed('neighbours in two places');
    const place = left?.place ?? right?.place ?? this.#namedPlace(item);
    if (place === 'gone') return 'gone';
    if (place.parent.root === 'nodes' && this.policy.isPeer)
      throw new UpdateRefused('FOREIGN_ENTRY', 'an entry below nodes, which the service alone writes');
    if (this.policy.isPeer) {
      const { origin, rightOrigin } = item;
      const taken = { id, length, origin, rightOrigin };
      this.#steps.takeItem(taken, place, neighbour(origin, left), neighbour(rightOrigin, right));
    }
    return place;
  }

  #namedPlace({ parent, key }: Item): ItemPlace {
    if (parent === undefined) return malformed('an item without a place');
    const type = typeof parent === 'string' ? this.view.rootPlace(parent) : this.#typeAt(parent);
    return type === 'gone' ? 'gone' : { parent: type, key };
  }

  #typeAt(id: OperationId): TypePlace | 'gone' {
    const own = this.#ownAt(id);
    if (!own) return this.view.typeIn(this.view.structAt(id));
    if (own.place === 'gone') return 'gone';
    return own.holds ?? malformed('a parent that holds nothing');
  }

  /** What fits where: values under keys one by one and in lists, characters in texts, types but in texts. */
  #checkContent(
    { content }: Item,
    { parent, key }: Exclude<ItemPlace, 'gone'>,
    length: number,
  ): TypePlace | 'gone' | undefined {
    const { nestingMax } = this.policy.bounds;
    if ((parent.kind === 'map') !== (key !== undefined))
      malformed(`an item ${key === undefined ? 'without' : 'with'} a key in a ${parent.kind}`);
    if (content.kind === 'deleted') return 'gone';
    const isText = parent.kind === 'text';
    if (isText !== (content.kind === 'characters'))
      throw new UpdateRefused('NOT_JSON', `${content.kind} in a ${parent.kind}`);
    if (content.kind === 'characters') return undefined;
    if (content.kind === 'values') {
      if (parent.kind === 'map' && length > 1) malformed(`${length} values under a key`);
      requireAtMost('TOO_LARGE', 'nesting', parent.nesting + content.nesting, nestingMax);
      return undefined;
    }
    requireAtMost('TOO_LARGE', 'nesting', parent.nesting + 1, nestingMax);
    return { kind: content.kind, root: parent.root, nesting: parent.nesting + 1 };
  }

  /** Where an operation stands that is here or placed, and which it shares its item with. */
  #look(id: OperationId): Seen {
    const own = this.#ownAt(id);
    if (own) return { start: own.clock, end: own.clock + own.length, place: own.place };
    const struct = this.view.structAt(id);
    const place = this.view.placeOf(struct);
    const { clock } = struct.id;
    return { start: clock, end: clock + struct.length, place, item: struct as Y.Item };
  }

  #holderOf(id: OperationId): Holder | undefined {
    const own = this.#ownAt(id);
    if (own) return { start: own.clock };
    const struct = this.view.structAt(id);
    return struct instanceof Y.Item ? { start: struct.id.clock, item: struct } : undefined;
  }

  #ownAt({ client, clock }: OperationId): Placing['placed'][number] | undefined {
    if (clock < this.view.clockOf(client)) return undefined;
    const placed = this.#placings.get(client)?.placed ?? [];
    let low = 0;
    for (let high = placed.length - 1; low < high;) {
      const middle = (low + high + 1) >> 1;
      if (placed[middle].clock <= clock) low = middle;
      else high = middle - 1;
    }
    return placed[low];
  }

  #split({ client }: OperationId): void {
    this.#splits += 1;
    this.#steps.takeSplit(this.view.structsOf(client).length + this.#splits);
  }

  /** Whether they delete anything that is here and not deleted. */
  #judgeDeleted(client: number, ranges: readonly DeletedRange[]): boolean {
    const structs = this.view.structsOf(client);
    const here = this.view.clockOf(client);
    const known = Math.max(here, this.#clockOf(client));
    let deletes = false;
    for (const { clock, length } of ranges) {
      if (clock + length > known)
        throw incomplete(`deletes operations of client ${client} that are not here`);
      // What the update itself brings is split there too.
      if (clock + length > here) this.#splits += 2;
      if (clock >= here) continue;
      const end = Math.min(clock + length, here);
      for (let i = indexOf(structs, clock); i < structs.length && structs[i].id.clock < end; i++) {
        this.#steps.take(1);
        if (structs[i].deleted) continue;
        deletes = true;
        this.#judgeDeletion(structs[i] as Y.Item, clock, end, structs.length);
      }
    }
    return deletes;
  }

  #judgeDeletion(item: Y.Item, from: number, end: number, structCount: number): void {
    const place = this.view.placeOf(item);
    if (this.policy.isPeer && place !== 'gone' && place.parent.root === 'nodes')
      throw new UpdateRefused(
        'FOREIGN_ENTRY',
        'deletes an entry below nodes, which the service alone writes',
      );
    const { clock } = item.id;
    const splits = (clock < from ? 1 : 0) + (clock + item.length > end ? 1 : 0);
    this.#splits += splits;
    for (let i = 0; i < splits; i++) this.#steps.takeSplit(structCount + this.#splits);
  }
}

type Item = NonNullable<ReadStruct['item']>;

interface Seen {
  readonly start: number;
  readonly end: number;
  readonly place: ItemPlace;
  readonly item?: Y.Item;
}

const incomplete = (detail: string) => new UpdateRefused('INCOMPLETE', detail);

const restOf = ({ rightOrigin, content }: Item, origin: OperationId): Item => ({
  origin,
  rightOrigin,
  content,
});

const neighbour = (id: OperationId | undefined, seen: Seen | undefined): Neighbour | undefined =>
  id && seen && { id, start: seen.start, item: seen.item };

const isSamePlace = (a: ItemPlace, b: ItemPlace) =>
  a === 'gone' || b === 'gone' ? a === b : a.parent === b.parent && a.key === b.key;

/** Of the struct that has a clock, which must be here. */
function indexOf(structs: readonly (Y.Item | Y.GC)[], clock: number): number {
  let low = 0;
  for (let high = structs.length - 1; low < high;) {
    const middle = (low + high + 1) >> 1;
    if (structs[middle].id.clock <= clock) low = middle;
    else high = middle - 1;
  }
  return low;
}

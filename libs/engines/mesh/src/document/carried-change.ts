import canonicalize from 'canonicalize';
import * as Y from 'yjs';

/** Whether the value of a key was set or deleted as a whole, or something inside of it was changed. */
export type Touch = 'whole' | 'inside';

/**
 * What updates changed in `shared` of a document, key by key, so that it can be written into a document with the same content and
 * other operations, which the updates themselves do not fit.
 */
export class CarriedChange {
  readonly #values = new Map<string, { readonly touch: Touch; readonly value: unknown }>();

  /** @param shared of which it takes what it has for the keys now */
  constructor(shared: Y.Map<unknown>, touched: ReadonlyMap<string, Touch>) {
    for (const [key, touch] of touched)
      this.#values.set(key, { touch, value: shared.has(key) ? shared.get(key) : ABSENT });
  }

  /** @param updates Yjs encoding v1, which are merged into the document */
  static of(document: Y.Doc, updates: readonly Uint8Array[]): CarriedChange {
    return new CarriedChange(document.getMap('shared'), touchedBy(document, updates));
  }

  get keys(): readonly string[] {
    return [...this.#values.keys()];
  }

  get isEmpty(): boolean {
    return this.#values.size === 0;
  }

  /** Keys something inside of whose value was changed: carrying these overwrites what others change there meanwhile. */
  get keysInside(): readonly string[] {
    return [...this.#values].flatMap(([key, { touch }]) => (touch === 'inside' ? [key] : []));
  }

  /** Sets and deletes what differs. */
  writeTo(shared: Y.Map<unknown>, keys: readonly string[] = this.keys): void {
    for (const key of keys) {
      const value = this.#values.get(key)?.value;
      if (value === ABSENT) shared.delete(key);
      else if (!shared.has(key) || jsonOf(shared.get(key)) !== jsonOf(value)) shared.set(key, copyOf(value));
    }
  }
}

const ABSENT = Symbol('absent');

/** A value that another document can hold: maps, lists and texts are copied, JSON is the same. */
export function copyOf(value: unknown): unknown {
  return value instanceof Y.AbstractType ? value.clone() : value;
}

const jsonOf = (value: unknown) => canonicalize(value instanceof Y.AbstractType ? value.toJSON() : value);

/** The keys of `shared` that updates have changed, which are merged into a document. */
export function touchedBy(document: Y.Doc, updates: readonly Uint8Array[]): Map<string, Touch> {
  const touched = new Map<string, Touch>();
  const look = (client: number, clock: number, length: number) => {
    const structs = document.store.clients.get(client);
    if (!structs || clock >= Y.getState(document.store, client)) return;
    for (
      let i = Y.findIndexSS(structs, clock);
      i < structs.length && structs[i].id.clock < clock + length;
      i++
    ) {
      const place = placeOf(document, structs[i]);
      if (place && touched.get(place.key) !== 'whole') touched.set(place.key, place.touch);
    }
  };
  for (const update of updates) {
    const { structs, ds } = Y.decodeUpdate(update);
    for (const { id, length } of structs) look(id.client, id.clock, length);
    for (const [client, ranges] of ds.clients) for (const { clock, len } of ranges) look(client, clock, len);
  }
  return touched;
}

/** The key of `shared` under which a struct stands; none of what stands elsewhere, or was collected with its parent. */
function placeOf(document: Y.Doc, struct: Y.Item | Y.GC): { key: string; touch: Touch } | undefined {
  const shared = document.getMap('shared');
  let touch: Touch = 'whole';
  for (let item: Y.Item | Y.GC | null = struct; item instanceof Y.Item; touch = 'inside') {
    const parent = item.parent as Y.AbstractType<unknown>;
    if (parent === shared) return { key: item.parentSub as string, touch };
    item = parent._item;
  }
  return undefined;
}

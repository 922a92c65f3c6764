import * as Y from 'yjs';
import { malformed, type OperationId, type RootName, ROOTS } from './update-reader.js';

/** A map, list or text as Yjs has it. */
type LiveType = Exclude<Y.Item['parent'], Y.ID | null>;

/** A map, list or text of the document, or one that an update would make. */
export interface TypePlace {
  readonly kind: 'map' | 'list' | 'text';
  readonly root: RootName;
  /** Maps, lists and texts around it, the root not counted: 0 for the root itself. */
  readonly nesting: number;
  /** Of the document; none where an update would make it. */
  readonly type?: LiveType;
}

/** Where an item stands, or that its parent is deleted and it has no place any more. */
export type ItemPlace = { readonly parent: TypePlace; readonly key?: string } | 'gone';

/** A document as an update is compared with it; reads alone. */
export class DocumentView {
  readonly #roots: Readonly<Record<RootName, Y.Map<unknown>>>;
  readonly #places = new WeakMap<LiveType, TypePlace>();

  constructor(private readonly document: Y.Doc) {
    this.#roots = { nodes: document.getMap('nodes'), shared: document.getMap('shared') };
    for (const root of ROOTS)
      this.#places.set(this.#roots[root], { kind: 'map', root, nesting: 0, type: this.#roots[root] });
  }

  /** How many operations of a client are here: the clock of its next. */
  clockOf(client: number): number {
    return Y.getState(this.document.store, client);
  }

  structsOf(client: number): readonly (Y.Item | Y.GC)[] {
    return this.document.store.clients.get(client) ?? [];
  }

  /** The item or the gap that has an operation, which must be here. */
  structAt({ client, clock }: OperationId): Y.Item | Y.GC {
    const structs = this.document.store.clients.get(client) as (Y.Item | Y.GC)[];
    return structs[Y.findIndexSS(structs, clock)];
  }

  rootPlace(root: RootName): TypePlace {
    return this.#places.get(this.#roots[root]) as TypePlace;
  }

  placeOf(struct: Y.Item | Y.GC): ItemPlace {
    if (!(struct instanceof Y.Item)) return 'gone';
    return {
      parent: this.#typePlace(struct.parent as LiveType),
      key: struct.parentSub ?? undefined,
    };
  }

  /**
   * The type that a struct holds; gone with one that was deleted, though not before the change is over that deleted it.
   * @throws UpdateRefused MALFORMED where it holds something else
   */
  typeIn(struct: Y.Item | Y.GC): TypePlace | 'gone' {
    if (!(struct instanceof Y.Item) || struct.content instanceof Y.ContentDeleted) return 'gone';
    if (!(struct.content instanceof Y.ContentType)) return malformed('a parent that holds nothing');
    return this.#typePlace(struct.content.type);
  }

  #typePlace(type: LiveType): TypePlace {
    const known = this.#places.get(type);
    if (known) return known;
    const item = type._item;
    if (!item) return malformed('a root that the document has no use for');
    const above = this.#typePlace(item.parent as LiveType);
    const place = { kind: kindOf(type), root: above.root, nesting: above.nesting + 1, type };
    this.#places.set(type, place);
    return place;
  }
}

function kindOf(type: LiveType): TypePlace['kind'] {
  if (type instanceof Y.Map) return 'map';
  if (type instanceof Y.Array) return 'list';
  return type.constructor === Y.Text ? 'text' : malformed('a type that the document has no use for');
}

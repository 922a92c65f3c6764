import { type Change, Journal } from './journal.js';

/** What every object of Stripe's has. */
export interface StripeObject {
  id: string;
  object: string;
  created?: number;
}

/** Objects of each kind that are kept; the oldest goes first. */
const OBJECTS_MAX = 5_000;

/** All objects of the account by kind, in the order in which they were made, written through to the journal. */
export class ObjectStore {
  private readonly kinds = new Map<string, Map<string, StripeObject>>();
  private readonly changed = new Map<string, Change>();

  constructor(
    private readonly journal: Journal,
    private readonly objectsMax = OBJECTS_MAX,
  ) {
    for (const { kind, id, object } of journal.read()) {
      if (object === undefined) this.of(kind).delete(id);
      else this.insert(kind, object as StripeObject);
    }
    this.changed.clear();
    journal.rewrite(this.everything());
  }

  find<T extends StripeObject>(kind: string, id: string): T | undefined {
    return this.kinds.get(kind)?.get(id) as T | undefined;
  }

  /** Newest first. */
  all<T extends StripeObject>(kind: string): T[] {
    return ([...(this.kinds.get(kind)?.values() ?? [])] as T[]).reverse();
  }

  count(kind: string): number {
    return this.kinds.get(kind)?.size ?? 0;
  }

  /** Adds an object, or notes that one has changed. */
  save<T extends StripeObject>(object: T): T {
    this.insert(object.object, object);
    return object;
  }

  remove(object: StripeObject): void {
    this.of(object.object).delete(object.id);
    this.note(object.object, object.id, undefined);
  }

  /** Writes what changed since the last commit: all of it or, after a kill, nothing of it. */
  commit(): void {
    this.journal.append([...this.changed.values()]);
    this.changed.clear();
    if (this.journal.isLong) this.journal.rewrite(this.everything());
  }

  close(): void {
    this.commit();
    this.journal.close();
  }

  private insert(kind: string, object: StripeObject): void {
    const objects = this.of(kind);
    objects.set(object.id, object);
    this.note(kind, object.id, object);
    if (objects.size <= this.objectsMax) return;
    const oldest = objects.keys().next().value!;
    objects.delete(oldest);
    this.note(kind, oldest, undefined);
  }

  private note(kind: string, id: string, object: StripeObject | undefined): void {
    this.changed.set(`${kind}/${id}`, { kind, id, object });
  }

  private of(kind: string): Map<string, StripeObject> {
    const found = this.kinds.get(kind);
    if (found) return found;
    const made = new Map<string, StripeObject>();
    this.kinds.set(kind, made);
    return made;
  }

  private everything(): Change[] {
    return [...this.kinds].flatMap(([kind, objects]) =>
      [...objects.values()].map(object => ({ kind, id: object.id, object })),
    );
  }
}

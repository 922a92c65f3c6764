/** Whose work waits. */
export interface Turn {
  /** Who shares one turn: work of another subject does not wait behind all of this one's. */
  readonly subject: string;
  /** Goes before whatever is not so, such as work that has been paid for before work that nobody has paid for yet. */
  readonly isFirst: boolean;
  /** How it stands with its payment: for what is about to be paid for a place is kept, and what is paid for is refused no more. */
  readonly payment?: 'claiming' | 'settled';
}

/** Tells whose turn work takes that comes now. */
export type TurnOf = () => Turn;

/** Whoever says of nobody that it works for them: all such work shares one turn. */
export const NOBODYS_TURN: Turn = { subject: '', isFirst: true };

/** After so many in a row that go first one of the others goes, so that these are delayed and never starved. */
const FIRST_IN_A_ROW_MAX = 8;

/** For how long a place is kept for work whose payment is being taken, milliseconds: most are within a tenth of that. */
const KEPT_MS = 2_000;
/** What is paid for may wait beyond the places there are, up to so many times `waitingMax`: against faults, not callers. */
const SETTLED_TIMES_MAX = 4;

/** As many that are new may go in a row before one of those that have been served. */
const NEW_IN_A_ROW_MAX = 8;

/**
 * What waits of one class: the subjects take turns, and each is served in the order in which it came. One that has had no turn in
 * this round goes before those that have, so whoever asks for little waits for hardly anybody, and who asks again at once queues.
 */
class Rounds<Entry> {
  private readonly fresh = new Map<string, Entry[]>();
  /** Whose turn is next stands first. Who has nothing left stays until its turn comes, and is no new one before. */
  private readonly served = new Map<string, Entry[]>();
  private freshInARow = 0;

  countOf(subject: string): number {
    return this.of(subject)?.length ?? 0;
  }

  push(subject: string, entry: Entry): void {
    const entries = this.of(subject);
    if (entries) entries.push(entry);
    else this.fresh.set(subject, [entry]);
  }

  shift(): Entry | undefined {
    const isFreshs = this.freshInARow < NEW_IN_A_ROW_MAX;
    const fromFresh = isFreshs ? this.shiftOf(this.fresh) : undefined;
    if (fromFresh !== undefined) {
      this.freshInARow++;
      return fromFresh;
    }
    this.freshInARow = 0;
    return this.shiftOf(this.served) ?? this.shiftOf(this.fresh);
  }

  remove(subject: string, entry: Entry): boolean {
    const entries = this.of(subject);
    const index = entries?.indexOf(entry) ?? -1;
    if (!entries || index < 0) return false;
    entries.splice(index, 1);
    if (entries.length === 0) this.fresh.delete(subject);
    return true;
  }

  /** Of each subject as many as `most`. */
  *heads(most = Infinity): Iterable<Entry> {
    for (const subjects of [this.fresh, this.served])
      for (const entries of subjects.values()) yield* entries.slice(0, most);
  }

  private of(subject: string): Entry[] | undefined {
    return this.fresh.get(subject) ?? this.served.get(subject);
  }

  private shiftOf(subjects: Map<string, Entry[]>): Entry | undefined {
    for (const [subject, entries] of subjects) {
      subjects.delete(subject);
      const entry = entries.shift();
      if (entry === undefined) continue;
      this.served.set(subject, entries);
      return entry;
    }
    return undefined;
  }
}

/** Places of work whose payment is being taken, by subject. */
class KeptPlaces {
  /** In the order in which they lapse. */
  private readonly places: { readonly subject: string; readonly untilMs: number }[] = [];

  keep(subject: string): void {
    this.places.push({ subject, untilMs: performance.now() + KEPT_MS });
  }

  /** Gives the subject's oldest place to its work, where it has one. */
  give(subject: string): void {
    const index = this.places.findIndex(place => place.subject === subject);
    if (index >= 0) this.places.splice(index, 1);
  }

  of(subject: string): { own: number; all: number } {
    const nowMs = performance.now();
    while (this.places.length > 0 && this.places[0].untilMs <= nowMs) this.places.shift();
    return { own: this.places.filter(place => place.subject === subject).length, all: this.places.length };
  }
}

/**
 * A bounded queue in which subjects take turns: however much one of them has waiting, another waits for one piece of each, and not
 * for all that came before. What goes first goes before the rest, of whomever.
 *
 * A subject may have as many waiting as places are free. So one that is alone has half of them, of several each its share, and there
 * is always a place for one that has none. Places that are kept for work whose payment is being taken are not free.
 */
export class FairQueue<Entry> {
  private readonly first = new Rounds<Entry>();
  private readonly rest = new Rounds<Entry>();
  private readonly turns = new Map<Entry, Turn>();
  private readonly kept = new KeptPlaces();
  private firstInARow = 0;

  /** @param waitingMax of a subject that is alone; of all, twice as many */
  constructor(private readonly waitingMax: number) {}

  get size(): number {
    return this.turns.size;
  }

  /** Places that are kept for work whose payment is being taken. */
  get keptCount(): number {
    return this.kept.of('').all;
  }

  countOf(subject: string): number {
    return this.first.countOf(subject) + this.rest.countOf(subject);
  }

  hasRoomFor(subject: string): boolean {
    const kept = this.kept.of(subject);
    return this.countOf(subject) + kept.own + this.size + kept.all < 2 * this.waitingMax;
  }

  /** Whether work is let in now; what is paid for is without a place, too. */
  admits({ subject, payment }: Turn): boolean {
    if (payment === 'settled') return this.size < SETTLED_TIMES_MAX * this.waitingMax;
    return this.hasRoomFor(subject);
  }

  /** Keeps a place for work that is about to be paid for, so that it finds room once it is; for other work none. */
  keep({ subject, payment }: Turn): void {
    if (payment === 'claiming') this.kept.keep(subject);
  }

  /** Work that is paid for is here, and needs the place no more that was kept for it. */
  giveKept({ subject, payment }: Turn): void {
    if (payment === 'settled') this.kept.give(subject);
  }

  /** Takes an entry, whether or not there is room. */
  push(entry: Entry, turn: Turn): void {
    this.giveKept(turn);
    this.turns.set(entry, turn);
    this.roundsOf(turn).push(turn.subject, entry);
  }

  /** The entry whose turn it is. */
  shift(): Entry | undefined {
    const isOthers = this.firstInARow >= FIRST_IN_A_ROW_MAX;
    const entry = (isOthers ? this.rest.shift() : undefined) ?? this.first.shift() ?? this.rest.shift();
    if (entry === undefined) return undefined;
    this.firstInARow = this.turns.get(entry)?.isFirst ? this.firstInARow + 1 : 0;
    this.turns.delete(entry);
    return entry;
  }

  /** Takes an entry out, wherever it stands; false where it is there no more. */
  remove(entry: Entry): boolean {
    const turn = this.turns.get(entry);
    if (!turn) return false;
    this.turns.delete(entry);
    return this.roundsOf(turn).remove(turn.subject, entry);
  }

  /** What would go before one more entry, were nothing else to come. */
  *ahead(turn: Turn): Iterable<Entry> {
    if (!turn.isFirst) yield* this.first.heads();
    const own = this.roundsOf(turn);
    yield* own.heads(own.countOf(turn.subject) + 1);
  }

  /** Everything that waits, which waits no more. */
  clear(): Entry[] {
    const entries: Entry[] = [];
    for (let entry = this.shift(); entry !== undefined; entry = this.shift()) entries.push(entry);
    return entries;
  }

  private roundsOf({ isFirst }: Turn): Rounds<Entry> {
    return isFirst ? this.first : this.rest;
  }
}

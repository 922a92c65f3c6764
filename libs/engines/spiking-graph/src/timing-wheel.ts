// Times are kept modulo 2^32 in three digits: 12 bits, 10 and 10. What is under way is never further ahead than 2^31.
const LOW_BITS = 12;
const LOW_SLOTS = 1 << LOW_BITS;
const HIGH_SLOTS = 1 << 10;
const MIDDLE = LOW_SLOTS;
const TOP = LOW_SLOTS + HIGH_SLOTS;
const SLOTS = TOP + HIGH_SLOTS;
const TOP_SHIFT = 22;
const WORD_BITS = 32;

/**
 * Spikes under way, by the time at which they arrive: a hierarchical timing wheel (Varghese & Lauck 1987). 6,144 slots hold
 * delays to 10^9 exactly: an event that differs from now in its last digit of time alone lies in the slot of that time; one that
 * differs in a higher digit lies in the slot of that digit, and is spread over the lower ones when time gets there. Bits say
 * which slots hold something, so that silence costs nothing.
 *
 * Events are numbers from 0; each is under way at most once.
 */
export class TimingWheel {
  /** The step that the wheel has come to; exact to 2^53. */
  now = 0;
  private readonly head = new Int32Array(SLOTS).fill(-1);
  private readonly occupied = new Int32Array(SLOTS / WORD_BITS);

  /** The next event of the same slot, and the time modulo 2^32, of each event. */
  private readonly links: Int32Array;

  /** @param events how many there are */
  constructor(events: number) {
    this.links = new Int32Array(2 * events);
  }

  /** Sends an event on its way now. @param delay 1 … 2^31 − 1 */
  send(event: number, delay: number): void {
    const time = (this.now + delay) | 0;
    this.links[2 * event + 1] = time;
    this.place(event, time);
  }

  /**
   * Lets time run to the next arrival and takes every event of that step out.
   * @returns the first of them, to be followed by {@link TimingWheel.after}; −1 where nothing is under way
   */
  advance(): number {
    do {
      const low = this.now & (LOW_SLOTS - 1);
      const slot = this.nextOccupied(0, LOW_SLOTS, low);
      if (slot >= 0) {
        this.now += slot - low;
        return this.empty(slot);
      }
    } while (this.turnHigherDigit());
    return -1;
  }

  /** The event that arrives at the same step as this one, or −1; asked before the event is sent again. */
  after(event: number): number {
    return this.links[2 * event];
  }

  private place(event: number, time: number): void {
    const differs = time ^ (this.now | 0);
    const slot =
      differs >>> LOW_BITS === 0
        ? time & (LOW_SLOTS - 1)
        : differs >>> TOP_SHIFT === 0
          ? MIDDLE + ((time >>> LOW_BITS) & (HIGH_SLOTS - 1))
          : TOP + (time >>> TOP_SHIFT);
    this.links[2 * event] = this.head[slot];
    this.head[slot] = event;
    this.occupied[slot >>> 5] |= 1 << (slot & 31);
  }

  /**
   * Nothing is left under this value of the higher digits: goes to the begin of the next one that holds something.
   * @returns false where none does
   */
  private turnHigherDigit(): boolean {
    const step = 2 ** LOW_BITS;
    const middle = Math.floor(this.now / step) % HIGH_SLOTS;
    const next = this.nextOccupied(MIDDLE, HIGH_SLOTS, middle);
    if (next >= 0) {
      this.now = (Math.floor(this.now / step) + next - middle) * step;
      this.spread(MIDDLE + next);
      return true;
    }
    const big = 2 ** TOP_SHIFT;
    const top = Math.floor(this.now / big) % HIGH_SLOTS;
    const ahead = this.nextOccupied(TOP, HIGH_SLOTS, top);
    // The last digit goes round: what lies below now's own place is ahead by a whole turn.
    const first = ahead >= 0 ? ahead : this.nextOccupied(TOP, HIGH_SLOTS, 0);
    if (first < 0) return false;
    const further = ahead >= 0 ? ahead - top : first + HIGH_SLOTS - top;
    this.now = (Math.floor(this.now / big) + further) * big;
    this.spread(TOP + first);
    return true;
  }

  private spread(slot: number): void {
    let event = this.empty(slot);
    while (event >= 0) {
      const next = this.links[2 * event];
      this.place(event, this.links[2 * event + 1]);
      event = next;
    }
  }

  /** Takes the events of a slot out; returns the first. */
  private empty(slot: number): number {
    const first = this.head[slot];
    this.head[slot] = -1;
    this.occupied[slot >>> 5] &= ~(1 << (slot & 31));
    return first;
  }

  /** The first slot of a wheel at or after a place that holds something, or −1. */
  private nextOccupied(wheel: number, slots: number, from: number): number {
    const end = (wheel + slots) / WORD_BITS;
    let word = (wheel + from) >>> 5;
    let bits = this.occupied[word] & (-1 << ((wheel + from) & 31));
    while (bits === 0) {
      if (++word === end) return -1;
      bits = this.occupied[word];
    }
    return word * WORD_BITS + (31 - Math.clz32(bits & -bits)) - wheel;
  }
}

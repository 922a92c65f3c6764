import { requireAtMost } from '@svc/mesh';
import { setTimeout as delay } from 'node:timers/promises';

/** Of its share, what an address may write at a replica until it is measured again: so much more it may have for each of them. */
const STRIDE_DIVISOR = 16;
/** Least time between two measurings of an address whose share is used up, milliseconds: its peers wait for it. */
const MEASURE_GAP_MS = 250;

interface Use {
  /** As measured the last time. */
  readonly heldBytes: number;
  readonly measuredAtMs: number;
  /** Written here since, at most. */
  writtenBytes: number;
}

/**
 * How much of the document's bytes each address holds: what was written from there and still stands in it. What is overwritten or
 * deleted counts no more, so an editor that changes the same values all day holds little. That is measured only now and then,
 * because it walks over all that was written from there; in between what is taken is added up. Of one epoch.
 */
export class AddressShares {
  private readonly uses = new Map<string, Use>();
  private readonly measuring = new Map<string, Promise<void>>();
  /** Taken over of what came late, which stands in the document under a client id of the service. */
  private readonly lateBytes = new Map<string, number>();

  /**
   * @param bytesMax of an address
   * @param measure what of an address is in the document, or was when an epoch ended lately
   */
  constructor(
    private readonly bytesMax: number,
    private readonly measure: (address: string) => Promise<number>,
  ) {}

  /**
   * How many of these updates, from the first on, may be taken as far as it is known.
   * @param isMeasured just now, for them: the first may be longer than what is taken without
   */
  countWithin(address: string, updates: readonly Uint8Array[], isMeasured = false): number {
    const use = this.uses.get(address);
    if (!use) return 0;
    let bytes = 0;
    let count = 0;
    for (const { length } of updates) {
      bytes += length;
      const isKnown = use.writtenBytes + bytes <= this.bytesMax / STRIDE_DIVISOR;
      if (!isKnown && !(isMeasured && count === 0)) break;
      if (use.heldBytes + use.writtenBytes + bytes > this.bytesMax) break;
      count += 1;
    }
    return count;
  }

  /** So many bytes of an address went into the document. */
  took(address: string, bytes: number): void {
    const use = this.uses.get(address);
    if (use) use.writtenBytes += bytes;
  }

  /** Measures what an address holds, for so many bytes more. @throws what measuring throws */
  measured(address: string, bytes: number): Promise<void> {
    const measuring =
      this.measuring.get(address) ??
      this.measureNow(address, bytes).finally(() => this.measuring.delete(address));
    this.measuring.set(address, measuring);
    return measuring;
  }

  /** @throws UpdateRefused ADDRESS_SHARE where so many bytes more are too many, as measured the last time */
  require(address: string, bytes: number): void {
    const { heldBytes = 0, writtenBytes = 0 } = this.uses.get(address) ?? {};
    this.requireBytes(heldBytes + writtenBytes + bytes);
  }

  /** Counts what of an address is taken over of an epoch that has ended. @throws UpdateRefused ADDRESS_SHARE */
  takeLate(address: string, bytes: number): void {
    const lateBytes = (this.lateBytes.get(address) ?? 0) + bytes;
    this.requireBytes(lateBytes);
    this.lateBytes.set(address, lateBytes);
    this.uses.delete(address);
  }

  /** Another epoch began. */
  clear(): void {
    this.uses.clear();
    this.lateBytes.clear();
  }

  private async measureNow(address: string, bytes: number): Promise<void> {
    const before = this.uses.get(address);
    if (before && before.heldBytes + before.writtenBytes + bytes > this.bytesMax) {
      const waitMs = before.measuredAtMs + MEASURE_GAP_MS - performance.now();
      if (waitMs > 0) await delay(waitMs);
    }
    const measuredBytes = await this.measure(address);
    const heldBytes = measuredBytes + (this.lateBytes.get(address) ?? 0);
    this.uses.set(address, { heldBytes, measuredAtMs: performance.now(), writtenBytes: 0 });
  }

  private requireBytes(got: number): void {
    requireAtMost('ADDRESS_SHARE', 'bytes of the document that come from one address', got, this.bytesMax);
  }
}

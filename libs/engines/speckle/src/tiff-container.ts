import { ImageError } from './image-error.js';

/** Bytes of a value by its type (TIFF 6.0, section 2; 13 is an offset to a directory). */
const TYPE_BYTES = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4];
const TAG = {
  stripOffsets: 273,
  stripByteCounts: 279,
  tileOffsets: 324,
  tileByteCounts: 325,
  subDirectories: 330,
} as const;
/** Directories of metadata that hang from the first: Exif, GPS, interoperability. */
const METADATA_TAGS = [34_665, 34_853, 40_965];
const ENTRIES_MAX = 1_024;
const VALUES_MAX = 2 ** 20;

interface Entry {
  readonly tag: number;
  readonly count: number;
  /** Where the values lie, in the entry itself or elsewhere. */
  readonly at: number;
  readonly endAt: number;
  readonly valueBytes: number;
}

/**
 * Follows the directories of a TIFF file to the last byte that belongs to its one picture.
 *
 * @returns where it ends: the file may have one byte more, since directories begin at even addresses
 * @throws ImageError SEVERAL_PAGES, TRUNCATED, UNDECODABLE
 */
export function examineTiff(bytes: Uint8Array): number {
  const file = new TiffFile(bytes);
  if (bytes.length < 8) throw file.truncated(8);
  const endAt = file.endOfDirectory(file.word(4), 0);
  return endAt === bytes.length - 1 ? bytes.length : Math.max(8, endAt);
}

class TiffFile {
  readonly #view: DataView;
  readonly #littleEndian: boolean;

  constructor(private readonly bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#littleEndian = bytes[0] === 0x49;
  }

  short(at: number): number {
    if (at + 2 > this.bytes.length) throw this.truncated(at + 2);
    return this.#view.getUint16(at, this.#littleEndian);
  }

  word(at: number): number {
    if (at + 4 > this.bytes.length) throw this.truncated(at + 4);
    return this.#view.getUint32(at, this.#littleEndian);
  }

  endOfDirectory(at: number, depth: number): number {
    const count = this.short(at);
    if (count === 0 || count > ENTRIES_MAX) {
      throw new ImageError(
        'UNDECODABLE',
        'image',
        `a TIFF directory of ${count} entries`,
        ENTRIES_MAX,
        count,
      );
    }
    const nextAt = at + 2 + 12 * count;
    if (this.word(nextAt) !== 0) throw severalPages();
    const entries = Array.from({ length: count }, (_, i) => this.entry(at + 2 + 12 * i));
    let endAt = nextAt + 4;
    for (const entry of entries) {
      if (entry.tag === TAG.subDirectories) throw severalPages();
      endAt = Math.max(endAt, entry.endAt);
      if (METADATA_TAGS.includes(entry.tag) && depth < 2) {
        endAt = Math.max(endAt, this.endOfDirectory(this.word(entry.at), depth + 1));
      }
    }
    const strips = this.endOfData(entries, TAG.stripOffsets, TAG.stripByteCounts);
    return Math.max(endAt, strips, this.endOfData(entries, TAG.tileOffsets, TAG.tileByteCounts));
  }

  truncated(wanted: number): ImageError {
    const message = 'the file ends before the picture does';
    return new ImageError('TRUNCATED', 'image', message, wanted, this.bytes.length);
  }

  private entry(at: number): Entry {
    const valueBytes = TYPE_BYTES[this.short(at + 2)] ?? 1;
    const count = this.word(at + 4);
    const isWithin = valueBytes * count <= 4;
    const valuesAt = isWithin ? at + 8 : this.word(at + 8);
    return { tag: this.short(at), count, at: valuesAt, endAt: valuesAt + valueBytes * count, valueBytes };
  }

  /** The farthest byte of strips or tiles. */
  private endOfData(entries: readonly Entry[], offsetsTag: number, countsTag: number): number {
    const offsets = entries.find(({ tag }) => tag === offsetsTag);
    const counts = entries.find(({ tag }) => tag === countsTag);
    if (!offsets || !counts) return 0;
    if (offsets.count !== counts.count || offsets.count > VALUES_MAX) {
      const message = `a TIFF of ${offsets.count} pieces with ${counts.count} sizes`;
      throw new ImageError('UNDECODABLE', 'image', message, VALUES_MAX, offsets.count);
    }
    let endAt = 0;
    for (let i = 0; i < offsets.count; i++)
      endAt = Math.max(endAt, this.value(offsets, i) + this.value(counts, i));
    return endAt;
  }

  private value({ at, valueBytes }: Entry, index: number): number {
    return valueBytes === 2 ? this.short(at + 2 * index) : this.word(at + 4 * index);
  }
}

const severalPages = () =>
  new ImageError('SEVERAL_PAGES', 'image', 'the TIFF holds more than one picture, one is wanted');

import { ImageError } from './image-error.js';

/** Width times height. */
export const IMAGE_PIXELS_MAX = 2 ** 24;
/** Width and height: a decoder works row by row, and 2^24 rows of one pixel keep it busy for as long as it is let. */
export const IMAGE_SIDE_MAX = 2 ** 14;

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/**
 * The size that an image file says it has, by its header alone: what decoding it would take, before anything of it is decoded.
 * Undefined where none is found, which is so of no picture that is whole.
 */
export function imageSize(bytes: Uint8Array): ImageSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    if (view.getUint32(0) === 0x89504e47) return { width: view.getUint32(16), height: view.getUint32(20) };
    if (view.getUint16(0) === 0xffd8) return sizeOfJpeg(view);
    if (view.getUint32(0) === RIFF) return sizeOfWebp(view);
    return sizeOfTiff(view);
  } catch (error) {
    // It ends before that.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** @throws ImageError TOO_MANY_PIXELS */
export function refuseTooManyPixels({ width, height }: ImageSize): void {
  if (width * height > IMAGE_PIXELS_MAX) {
    const message = `at most ${IMAGE_PIXELS_MAX} pixels, the picture has ${width} × ${height}`;
    throw new ImageError('TOO_MANY_PIXELS', 'image', message, IMAGE_PIXELS_MAX, width * height);
  }
  const side = Math.max(width, height);
  if (side > IMAGE_SIDE_MAX) {
    const message = `at most ${IMAGE_SIDE_MAX} pixels wide and high, the picture has ${width} × ${height}`;
    throw new ImageError('TOO_MANY_PIXELS', 'image', message, IMAGE_SIDE_MAX, side);
  }
}

/** Of the frame header (ITU T.81, B.2.2), which comes before any scan. */
function sizeOfJpeg(view: DataView): ImageSize | undefined {
  for (let at = 2; ;) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    // A further 0xff fills; 0x01 and restarts stand alone.
    if (marker === 0xff) at += 1;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
    else if (marker >= 0xc0 && marker <= 0xcf && !NO_FRAME.has(marker)) {
      return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    } else if (marker === 0xda || marker === 0xd9) return undefined;
    else at += 2 + view.getUint16(at + 2);
  }
}

/** Markers among those of frames that begin none: Huffman tables, a reserved one, arithmetic conditioning. */
const NO_FRAME: ReadonlySet<number> = new Set([0xc4, 0xc8, 0xcc]);

const RIFF = 0x52494646;
const VP8 = 0x56503820;
const VP8L = 0x5650384c;
const VP8X = 0x56503858;

/** Of the first chunk (RFC 9649): a canvas, or a frame with or without loss. */
function sizeOfWebp(view: DataView): ImageSize | undefined {
  const kind = view.getUint32(12);
  const word = (at: number) => view.getUint32(at, true);
  if (kind === VP8X) return { width: 1 + (word(24) & 0xffffff), height: 1 + (word(26) >>> 8) };
  if (kind === VP8) return { width: (word(26) & 0x3fff) >>> 0, height: (word(26) >>> 16) & 0x3fff };
  if (kind !== VP8L) return undefined;
  const bits = word(21);
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
}

const TAG_WIDTH = 256;
const TAG_HEIGHT = 257;
const TYPE_SHORT = 3;

/** Of the first directory (TIFF 6.0, section 2). */
function sizeOfTiff(view: DataView): ImageSize | undefined {
  const order = view.getUint16(0);
  if (order !== 0x4949 && order !== 0x4d4d) return undefined;
  const isLittle = order === 0x4949;
  const directory = view.getUint32(4, isLittle);
  const valueOf = (tag: number): number | undefined => {
    const count = view.getUint16(directory, isLittle);
    for (let at = directory + 2; at < directory + 2 + 12 * count; at += 12) {
      if (view.getUint16(at, isLittle) !== tag) continue;
      const isShort = view.getUint16(at + 2, isLittle) === TYPE_SHORT;
      return isShort ? view.getUint16(at + 8, isLittle) : view.getUint32(at + 8, isLittle);
    }
    return undefined;
  };
  const [width, height] = [valueOf(TAG_WIDTH), valueOf(TAG_HEIGHT)];
  return width === undefined || height === undefined ? undefined : { width, height };
}

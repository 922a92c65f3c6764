import sharp, { type Metadata } from 'sharp';
import type { GreyImage } from '../grey-image.js';
import { examineImage } from '../image-container.js';
import { ImageError } from '../image-error.js';
import { IMAGE_PIXELS_MAX, refuseTooManyPixels } from '../image-size.js';

const DECODE_SECONDS_MAX = 8;

// The container was walked by code of ours, which knows four formats: libvips is to know no more.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadWebp', 'VipsForeignLoadTiff'],
});
// One picture, one thread, nothing kept: the bounds of a task are those of its thread.
sharp.concurrency(1);
sharp.cache(false);

/**
 * Decodes PNG, JPEG, WebP or TIFF to grey: luminance of colours, alpha over black, turned as Exif says. Depths of 8 bits and
 * less come back as bytes, 16 bits as fractions of the same scale.
 *
 * Its structure is examined first ({@link examineImage}), its size is known before a pixel is decoded, and the decoder refuses
 * data that is damaged or ends early.
 *
 * @throws ImageError
 */
export async function decodeImage(bytes: Uint8Array): Promise<GreyImage> {
  examineImage(bytes);
  // Its header alone: the bound is ours to name.
  const metadata = await orImageError(() => open(bytes, false).metadata());
  refuseBySize(metadata);
  const is16Bit = metadata.depth === 'ushort';
  const pipeline = open(bytes)
    .autoOrient()
    .flatten({ background: '#000' })
    .toColourspace(is16Bit ? 'grey16' : 'b-w')
    .timeout({ seconds: DECODE_SECONDS_MAX })
    .raw({ depth: is16Bit ? 'ushort' : 'uchar' });
  const { data, info } = await orImageError(() => pipeline.toBuffer({ resolveWithObject: true }));
  if (info.channels !== 1) {
    throw new ImageError(
      'UNDECODABLE',
      'image',
      `decoded to ${info.channels} channels in place of grey`,
      1,
      info.channels,
    );
  }
  return {
    width: info.width,
    height: info.height,
    pixels: is16Bit ? fractionsOf(data) : new Uint8Array(data),
  };
}

function open(bytes: Uint8Array, limitInputPixels: number | false = IMAGE_PIXELS_MAX) {
  return sharp(bytes, {
    limitInputPixels,
    failOn: 'error',
    sequentialRead: true,
    animated: false,
    unlimited: false,
  });
}

function refuseBySize({ width, height, pages = 1, depth }: Metadata): void {
  refuseTooManyPixels({ width, height });
  if (pages > 1) {
    throw new ImageError('SEVERAL_PAGES', 'image', `one picture a file, this has ${pages}`, 1, pages);
  }
  if (depth !== 'uchar' && depth !== 'ushort') {
    throw new ImageError(
      'UNDECODABLE',
      'image',
      `pixels of 8 or 16 bits without sign are read, these are ${depth}`,
    );
  }
}

/** 16 bits on the scale of 8: 65,535 is 255. */
function fractionsOf(data: Buffer): Float32Array {
  // Node gives buffers at even addresses, its pooled ones too.
  const words = new Uint16Array(data.buffer, data.byteOffset, data.byteLength / 2);
  // No `from` with a function: it makes a list of all words first, ten times their size.
  const pixels = new Float32Array(words.length);
  for (let i = 0; i < words.length; i++) pixels[i] = words[i] / 257;
  return pixels;
}

async function orImageError<T>(decode: () => Promise<T>): Promise<T> {
  try {
    return await decode();
  } catch (error) {
    // The decoder’s own words are for its developers, and may quote the file.
    const message = String((error as Error).message);
    const isShort = /premature end|truncated|end of (file|stream|data)/i.test(message);
    if (isShort) throw new ImageError('TRUNCATED', 'image', 'the data of the picture ends too early');
    throw new ImageError(
      'UNDECODABLE',
      'image',
      'the data of the picture is damaged, or of a kind that is not read',
    );
  }
}

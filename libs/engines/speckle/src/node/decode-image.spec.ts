import sharp, { type Create, type CreateRaw } from 'sharp';
import { examineImage, JPEG_SCANS_MAX } from '../image-container.js';
import { ImageError } from '../image-error.js';
import { IMAGE_PIXELS_MAX, IMAGE_SIDE_MAX, imageSize, refuseTooManyPixels } from '../image-size.js';
import { decodeImage } from './decode-image.js';

const WIDTH = 40;
const HEIGHT = 24;
const ramp = Uint8Array.from(
  { length: WIDTH * HEIGHT },
  (_, i) => 3 * (i % WIDTH) + 5 * Math.floor(i / WIDTH),
);
const grey = (pixels: Uint8Array = ramp) =>
  sharp(pixels, { raw: { width: WIDTH, height: HEIGHT, channels: 1 } }).toColourspace('b-w');
const colour = (channels: 3 | 4, pixel: number[]) =>
  sharp(
    Uint8Array.from({ length: WIDTH * HEIGHT * channels }, (_, i) => pixel[i % channels]),
    {
      raw: { width: WIDTH, height: HEIGHT, channels },
    },
  );

async function faultOf(bytes: Uint8Array): Promise<Partial<ImageError> | undefined> {
  try {
    await decodeImage(bytes);
    return undefined;
  } catch (error) {
    if (!(error instanceof ImageError)) throw error;
    const { code, field, bound, got } = error;
    return { code, field, bound, got };
  }
}
const codeOf = async (bytes: Uint8Array) => (await faultOf(bytes))?.code;

const encoders = {
  png: () => grey().png(),
  jpeg: () => grey().jpeg({ quality: 95 }),
  progressive: () => grey().jpeg({ quality: 95, progressive: true }),
  webp: () => grey().webp({ lossless: true }),
  tiff: () => grey().tiff({ compression: 'lzw' }),
  'tiled tiff': () => grey().tiff({ compression: 'none', tile: true, tileWidth: 16, tileHeight: 16 }),
} as const;
type Encoder = keyof typeof encoders;
const fileOf = async (name: Encoder) => new Uint8Array(await encoders[name]().toBuffer());
const names = Object.keys(encoders) as Encoder[];

/** The plainest TIFF: its directory first, then one strip of grey. */
function tiffOf(pixels: Uint8Array): Buffer {
  const entries = [
    [256, WIDTH],
    [257, HEIGHT],
    [258, 8],
    [259, 1],
    [262, 1],
    [273, 8 + 2 + 8 * 12 + 4],
    [278, HEIGHT],
    [279, pixels.length],
  ];
  const head = Buffer.alloc(8 + 2 + entries.length * 12 + 4);
  head.write('II*\0', 'latin1');
  head.writeUInt32LE(8, 4);
  head.writeUInt16LE(entries.length, 8);
  entries.forEach(([tag, value], i) => {
    head.writeUInt16LE(tag, 10 + 12 * i);
    head.writeUInt16LE(4, 12 + 12 * i);
    head.writeUInt32LE(1, 14 + 12 * i);
    head.writeUInt32LE(value, 18 + 12 * i);
  });
  return Buffer.concat([head, pixels]);
}

describe('decoding a picture', () => {
  it.each(names)('reads the same pixels out of %s', async name => {
    const { width, height, pixels } = await decodeImage(await fileOf(name));
    expect([width, height]).toEqual([WIDTH, HEIGHT]);
    const tolerance = name === 'jpeg' || name === 'progressive' ? 4 : 1;
    expect(Math.max(...Array.from(ramp, (value, i) => Math.abs(value - pixels[i])))).toBeLessThanOrEqual(
      tolerance,
    );
  });

  it('keeps what 16 bits have more than 8, on the same scale', async () => {
    const words = Uint16Array.from({ length: WIDTH * HEIGHT }, (_, i) => 20_000 + i);
    const file = await sharp(words, { raw: { width: WIDTH, height: HEIGHT, channels: 1 } })
      .toColourspace('grey16')
      .png()
      .toBuffer();
    const { pixels } = await decodeImage(file);
    expect(pixels).toBeInstanceOf(Float32Array);
    expect(pixels[0]).toBeCloseTo(20_000 / 257, 3);
    expect(pixels[700] - pixels[0]).toBeCloseTo(700 / 257, 3);
  });

  it('takes no more memory for 16 bits than a few bytes a pixel', async () => {
    const side = Math.sqrt(IMAGE_PIXELS_MAX);
    const file = await sharp({ create: { width: side, height: side, channels: 3, background: '#888' } })
      .toColourspace('grey16')
      .png()
      .toBuffer();
    const residentKib = () => process.resourceUsage().maxRSS;
    const before = residentKib();
    expect((await decodeImage(file)).pixels).toHaveLength(IMAGE_PIXELS_MAX);
    expect((residentKib() - before) * 1_024).toBeLessThan(16 * IMAGE_PIXELS_MAX);
  });

  it('turns CMYK and colours to grey, and puts what is transparent over black', async () => {
    const cmyk = await colour(3, [200, 200, 200]).toColourspace('cmyk').jpeg({ quality: 95 }).toBuffer();
    expect((await sharp(cmyk).metadata()).space).toBe('cmyk');
    const { pixels } = await decodeImage(cmyk);
    expect(Math.abs(pixels[100] - 200)).toBeLessThan(25);

    const half = await colour(4, [255, 255, 255, 128]).png().toBuffer();
    expect((await decodeImage(half)).pixels[0]).toBe(128);
    const green = await decodeImage(await colour(3, [0, 255, 0]).png().toBuffer());
    const blue = await decodeImage(await colour(3, [0, 0, 255]).png().toBuffer());
    expect(green.pixels[0]).toBeGreaterThan(2 * blue.pixels[0]);
  });

  it('turns the picture as its Exif orientation says', async () => {
    const file = await grey().withMetadata({ orientation: 6 }).png().toBuffer();
    const { width, height, pixels } = await decodeImage(file);
    expect([width, height]).toEqual([HEIGHT, WIDTH]);
    // A quarter turn clockwise: the lower left corner comes to the upper left.
    expect(pixels[0]).toBe(ramp[(HEIGHT - 1) * WIDTH]);
  });

  it('reads a picture of one pixel; the engine says what is too small', async () => {
    const one = await sharp(Uint8Array.of(7), { raw: { width: 1, height: 1, channels: 1 } })
      .png()
      .toBuffer();
    expect(await decodeImage(one)).toMatchObject({ width: 1, height: 1 });
  });
});

describe('what is refused before a pixel is decoded', () => {
  it('refuses more pixels than the bound, whatever the file promises', async () => {
    const large = await sharp({ create: { width: 5_000, height: 4_000, channels: 3, background: '#888' } })
      .png({ compressionLevel: 9 })
      .toBuffer();
    expect(await faultOf(large)).toEqual({
      code: 'TOO_MANY_PIXELS',
      field: 'image',
      bound: IMAGE_PIXELS_MAX,
      got: 20_000_000,
    });
    const promised = new Uint8Array(await fileOf('png'));
    new DataView(promised.buffer).setUint32(16, 2_000_000_000);
    expect(['TOO_MANY_PIXELS', 'UNDECODABLE']).toContain(await codeOf(promised));
  });

  it.each([
    [IMAGE_SIDE_MAX + 1, 1],
    [1, IMAGE_SIDE_MAX + 1],
  ])('refuses a picture of %i × %i: few pixels, and a row of them too many', async (width, height) => {
    const strip = await sharp({ create: { width, height, channels: 3, background: '#888' } })
      .png()
      .toBuffer();
    expect(await faultOf(strip)).toEqual({
      code: 'TOO_MANY_PIXELS',
      field: 'image',
      bound: IMAGE_SIDE_MAX,
      got: IMAGE_SIDE_MAX + 1,
    });
  });

  it.each([
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="300"/>'],
    ['XML', '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['PDF', '%PDF-1.7\n%\xe2\xe3'],
    ['GIF', 'GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04'],
    ['BMP', 'BM\x3a\0\0\0\0\0\0\0\x36\0\0\0'],
    ['BigTIFF', 'II\x2b\0\x08\0\0\0\x10\0\0\0\0\0\0\0'],
    ['HEIF', '\0\0\0\x18ftypheic\0\0\0\0'],
    ['nothing', ''],
    ['one byte', '\x89'],
  ])('refuses %s by its first bytes', async (_, text) => {
    expect(await codeOf(Buffer.from(text, 'latin1'))).toBe('UNSUPPORTED_TYPE');
  });

  it('refuses moving pictures: WebP and PNG', async () => {
    const two = Uint8Array.from({ length: 32 * 64 }, (_, i) => (i < 32 * 32 ? 50 : 200));
    const frames = await sharp(two, {
      raw: { width: 32, height: 64, channels: 1, pageHeight: 32 } as CreateRaw,
    })
      .webp({ loop: 0, delay: [100, 100] })
      .toBuffer();
    expect((await sharp(frames).metadata()).pages).toBe(2);
    expect(await codeOf(frames)).toBe('ANIMATED');

    const png = await fileOf('png');
    const control = Uint8Array.of(
      0,
      0,
      0,
      8,
      ...Buffer.from('acTL'),
      0,
      0,
      0,
      2,
      0,
      0,
      0,
      0,
      0xf3,
      0x8d,
      0x93,
      0x70,
    );
    expect(await codeOf(Buffer.concat([png.subarray(0, 33), control, png.subarray(33)]))).toBe('ANIMATED');
  });

  it('refuses a WebP that calls itself moving, whatever frames it has', async () => {
    const webp = await fileOf('webp');
    const extended = Buffer.concat([
      Buffer.from('VP8X'),
      Buffer.of(10, 0, 0, 0, 0x02, 0, 0, 0, 39, 0, 0, 23, 0, 0),
    ]);
    const file = Buffer.concat([webp.subarray(0, 12), extended, webp.subarray(12)]);
    file.writeUInt32LE(file.length - 8, 4);
    expect(await codeOf(file)).toBe('ANIMATED');
    file[20] = 0;
    expect(await codeOf(file)).toBeUndefined();
  });

  it.each(names)('knows the size of %s by its header alone, as far as there is one', async name => {
    const file = await fileOf(name);
    expect(imageSize(file)).toEqual({ width: WIDTH, height: HEIGHT });
    // Most of a TIFF may lie before its directory.
    if (!name.endsWith('tiff'))
      expect(imageSize(file.subarray(0, Math.max(30, file.length / 2)))).toEqual({
        width: WIDTH,
        height: HEIGHT,
      });
    for (const length of [0, 1, 3, 7, 12, 20]) expect(imageSize(file.subarray(0, length))).toBeUndefined();
  });

  it('knows the size of a WebP with loss, of one with a canvas, and of a TIFF in the other order of bytes', async () => {
    const lossy = await grey().webp({ quality: 50 }).toBuffer();
    const canvas = await colour(4, [1, 2, 3, 128])
      .webp({ quality: 50 })
      .withExif({ IFD0: { Copyright: 'x' } })
      .toBuffer();
    const size = { width: WIDTH, height: HEIGHT };
    expect([lossy, canvas].map(file => file.toString('latin1', 12, 16))).toEqual(['VP8 ', 'VP8X']);
    expect([lossy, canvas, tiffOf(ramp)].map(imageSize)).toEqual([size, size, size]);
    const big = Buffer.from(
      'MM\0*\0\0\0\x08\0\x02\x01\0\0\x03\0\0\0\x01\0\x28\0\0\x01\x01\0\x04\0\0\0\x01\0\0\0\x18',
      'latin1',
    );
    expect(imageSize(big)).toEqual(size);
    expect(imageSize(Buffer.from('GIF89a, or some other text'))).toBeUndefined();
  });

  it('refuses more pixels than the bound by that size', () => {
    expect(() => refuseTooManyPixels({ width: 4_096, height: 4_096 })).not.toThrow();
    for (const size of [
      { width: 4_097, height: 4_096 },
      { width: IMAGE_SIDE_MAX + 1, height: 1 },
    ])
      expect(() => refuseTooManyPixels(size)).toThrow(ImageError);
  });

  it('refuses a JPEG of many scans, each of which costs its pixels in a few bytes', async () => {
    const file = Buffer.from(await fileOf('progressive'));
    const lastScan = file.lastIndexOf(Buffer.of(0xff, 0xda));
    const more = Array<Buffer>(40).fill(file.subarray(lastScan, -2));
    expect(await faultOf(Buffer.concat([file.subarray(0, -2), ...more, file.subarray(-2)]))).toEqual({
      ...{ code: 'UNDECODABLE', field: 'image', bound: JPEG_SCANS_MAX, got: JPEG_SCANS_MAX + 1 },
    });
    expect(examineImage(file)).toBe('jpeg');
  });

  it('follows a TIFF to its pixels, which may lie behind everything else', async () => {
    const file = tiffOf(ramp);
    expect(Buffer.from((await decodeImage(file)).pixels)).toEqual(Buffer.from(ramp));
    expect(await codeOf(file.subarray(0, file.length - 100))).toBe('TRUNCATED');
    expect(await codeOf(Buffer.concat([file, Buffer.alloc(9)]))).toBe('TRAILING_BYTES');
  });

  it('refuses a TIFF of several pages', async () => {
    const pages = await sharp({
      create: { width: 32, height: 64, channels: 3, background: '#123', pageHeight: 32 } as Create,
    })
      .tiff()
      .toBuffer();
    expect((await sharp(pages).metadata()).pages).toBe(2);
    expect(await codeOf(pages)).toBe('SEVERAL_PAGES');
  });

  it.each(names)('refuses every shorter beginning of %s', async name => {
    const file = await fileOf(name);
    for (let cut = 1; cut < file.length; cut += Math.max(1, Math.floor(file.length / 40))) {
      expect([name, cut, await codeOf(file.subarray(0, cut))]).not.toContain(undefined);
    }
    const most = Math.floor(0.7 * file.length);
    expect(await codeOf(file.subarray(0, most))).toBe('TRUNCATED');
  });

  it.each(names)('refuses bytes behind the end of %s', async name => {
    const file = await fileOf(name);
    expect(await codeOf(Buffer.concat([file, Buffer.from('PK\x03\x04 and so on')]))).toBe('TRAILING_BYTES');
    expect(await codeOf(Buffer.concat([file, file]))).toBe('TRAILING_BYTES');
  });

  it('refuses what is an archive, a document or a page as well, within the bounds of the picture', async () => {
    const png = await fileOf('png');
    const chunk = (type: string, data: Buffer) => {
      const size = Buffer.alloc(4);
      size.writeUInt32BE(data.length);
      return Buffer.concat([size, Buffer.from(type), data, Buffer.alloc(4)]);
    };
    const early = (data: string) =>
      Buffer.concat([png.subarray(0, 33), chunk('tEXt', Buffer.from(data)), png.subarray(33)]);
    expect(await codeOf(early('note\0%PDF-1.4'))).toBe('SECOND_SIGNATURE');
    expect(await codeOf(early('note\0<SCRIPT>alert(1)</script>'))).toBe('SECOND_SIGNATURE');

    const zipEnd = Buffer.alloc(22);
    zipEnd.write('PK\x05\x06', 'latin1');
    // Its comment takes in the check of the chunk and IEND.
    zipEnd.writeUInt16LE(16, 20);
    const iend = png.subarray(png.length - 12);
    const archive = Buffer.concat([png.subarray(0, png.length - 12), chunk('zIPx', zipEnd), iend]);
    expect(await codeOf(archive)).toBe('SECOND_SIGNATURE');
  });

  it('refuses damaged data, and never throws anything else than what is wrong with the picture', async () => {
    let refused = 0;
    for (const name of names) {
      const file = await fileOf(name);
      for (let i = 0; i < 24; i++) {
        const damaged = Uint8Array.from(file);
        const at = 4 + ((i * 2_654_435_761) % (file.length - 4));
        damaged[at] ^= 1 << (i % 8);
        if (await faultOf(damaged)) refused++;
      }
    }
    expect(refused).toBeGreaterThan(40);
  });
});

describe('the walk through the container', () => {
  it.each(names)('ends at the last byte of %s, with metadata and without', async name => {
    const plain = await fileOf(name);
    const format = name === 'progressive' ? 'jpeg' : name === 'tiled tiff' ? 'tiff' : name;
    expect(examineImage(plain)).toBe(format);
    const annotated = await encoders[name]()
      .withExif({ IFD0: { Copyright: 'a surface' }, IFD2: { UserComment: 'of a piece' } })
      .toBuffer();
    expect(examineImage(annotated)).toBe(format);
  });
});

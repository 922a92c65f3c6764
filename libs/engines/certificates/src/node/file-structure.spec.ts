import { constants, deflateSync } from 'node:zlib';
import { scanFileStructure } from './file-structure.js';

const scanned = (text: string, unpackedMax?: number) =>
  scanFileStructure(Buffer.from(text, 'latin1'), unpackedMax);
const stream = (dictionary: string) => `1 0 obj ${dictionary} stream\nx\nendstream endobj\n`;
/** A page of 600 dpi: six of them are more than all pictures of a file may have. */
const PICTURE = '<< /Subtype /Image /Width 6000 /Height 6000 >>';

it('counts a picture for the stream behind its dictionary, and for no later one', () => {
  expect(scanned(stream(PICTURE) + stream('').repeat(50)).streams).toBe(51);
  expect(() => scanned(stream(PICTURE).repeat(6))).toThrow(
    expect.objectContaining({ code: 'PICTURE_TOO_LARGE' }),
  );
});

it('finds a dictionary that has others within', () => {
  const nested = `<< /A << /B << >> >> ${PICTURE.slice(2, -2)} /C [<< /D 1 >>] >>`;
  expect(() => scanned(stream(nested).repeat(6))).toThrow(
    expect.objectContaining({ code: 'PICTURE_TOO_LARGE' }),
  );
});

it('walks over each byte once: a file of many streams without a dictionary takes what its bytes take', () => {
  const cpuMs = (work: () => unknown) => {
    const begun = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1_000;
  };
  const filler = ' '.repeat(16_000);
  const apart = filler + 'stream\nendstream '.repeat(19_000);
  const reference = () => {
    for (let turn = 0; turn < 40; turn++)
      Buffer.from(apart, 'latin1').toString('latin1').replace(/[<>]/g, '');
  };
  cpuMs(reference);
  // Walked back for 16 KiB from each of them it would take some 400 times as long.
  expect(cpuMs(() => scanned(apart))).toBeLessThan(20 * cpuMs(reference));
});

it('counts what each packing of a stream unpacks to, and refuses one that is packed again and again', () => {
  const zeros = deflateSync(Buffer.alloc(1_000_000));
  const twice = deflateSync(zeros).toString('latin1');
  const packed = (filters: string) =>
    `1 0 obj << /Filter [${filters}] >> stream\n${twice}\nendstream endobj\n`;
  const max = 5 * (1_000_000 + zeros.length);
  expect(scanned(packed('/FlateDecode /Fl').repeat(5), max).streams).toBe(5);
  expect(() => scanned(packed('/FlateDecode /Fl').repeat(5), max - 1)).toThrow(
    expect.objectContaining({
      code: 'STREAM_TOO_LARGE',
      message: expect.stringContaining(`${max - 1} bytes`),
    }),
  );
  expect(() => scanned(packed('/Fl '.repeat(5)))).toThrow(expect.objectContaining({ code: 'BROKEN' }));
});

it('counts what a stream unpacks to before it breaks', () => {
  const whole = deflateSync(Buffer.alloc(2_000_000), { finishFlush: constants.Z_FULL_FLUSH });
  // A last block of a kind that there is not.
  const broken = Buffer.concat([whole, Buffer.of(0x07)]).toString('latin1');
  const packed = `1 0 obj << /Filter /FlateDecode >> stream\n${broken}\nendstream endobj\n`;
  // Where it broke is found by powers of 8, so it counts as 2 MiB.
  const max = 4 * 2 ** 21;
  expect(scanned(packed.repeat(4), max).streams).toBe(4);
  expect(() => scanned(packed.repeat(4), max - 1)).toThrow(
    expect.objectContaining({ code: 'STREAM_TOO_LARGE' }),
  );
  // Of those that break at once, as encrypted ones do, there may be thousands; here errors are dear.
  expect(scanned(packed.replace(broken, 'x').repeat(200)).streams).toBe(200);
});

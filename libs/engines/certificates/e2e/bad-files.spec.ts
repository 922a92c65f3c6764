import { PDFDocument } from '@cantoo/pdf-lib';
import fc from 'fast-check';
import { deflateSync } from 'node:zlib';
import { CertificateError, type CertificateErrorCode } from '../src/certificate-error.js';
import { generateCertificate } from '../src/testing/index.js';
import { CertificateReader } from '../src/node/certificate-reader.js';

// A bound of time far above what any of these takes alone: the machine of a test is busy.
const reader = new CertificateReader({ processes: 1, inspectMsMax: 50_000, readMsMax: 50_000 });
afterAll(() => reader.close());

const latin1 = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));

/** A file with a true table of its objects, so that nothing but what is meant is wrong with it. */
function pdfOf(objects: readonly (string | Buffer)[], trailer = ''): Uint8Array {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n', 'latin1')];
  const offsets: number[] = [];
  const length = () => parts.reduce((sum, part) => sum + part.length, 0);
  objects.forEach((object, i) => {
    offsets.push(length());
    parts.push(
      Buffer.from(`${i + 1} 0 obj\n`),
      Buffer.from(object as string, 'latin1'),
      Buffer.from('\nendobj\n'),
    );
  });
  const at = length();
  const rows = offsets.map(offset => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${at}\n%%EOF\n`,
    ),
  );
  return new Uint8Array(Buffer.concat(parts));
}

const stream = (dictionary: string, data: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`<< ${dictionary} /Length ${data.length} >>\nstream\n`),
    data,
    Buffer.from('\nendstream'),
  ]);
const CATALOG = '<< /Type /Catalog /Pages 2 0 R >>';
const ONE_PAGE = '<< /Type /Pages /Kids [3 0 R] /Count 1 >>';
const pageWith = (rest: string) => `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] ${rest} >>`;

async function encrypted(): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  document.addPage();
  document.encrypt({ userPassword: 'secret', ownerPassword: 'secret' });
  return document.save({ useObjectStreams: false });
}

async function scripted(): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  document.addPage();
  document.addJavaScript('main', 'app.alert(1)');
  return document.save();
}

async function withFile(): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  document.addPage();
  await document.attach(latin1('MZ'), 'setup.exe');
  return document.save();
}

const bomb = (mebibytes: number) => deflateSync(Buffer.alloc(mebibytes * 2 ** 20));
const picture = (width: number, height: number) =>
  stream(
    `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode`,
    bomb(1),
  );
const showing = (object: string | Buffer) => [
  CATALOG,
  ONE_PAGE,
  pageWith('/Resources << /XObject << /X 4 0 R >> >> /Contents 5 0 R'),
  object,
  stream('', Buffer.from('/X Do')),
];
const pageTree = (count: number) => [
  CATALOG,
  `<< /Type /Pages /Kids [${Array.from({ length: count }, (_, i) => `${i + 3} 0 R`).join(' ')}] /Count ${count} >>`,
  ...Array.from({ length: count }, () => pageWith('')),
];

/** A page of such content. */
const drawing = (content: string, rest = '') => [
  CATALOG,
  ONE_PAGE,
  pageWith(`/Contents 4 0 R ${rest}`),
  stream('/Filter /FlateDecode', deflateSync(Buffer.from(content))),
];
/** Forms of which each draws the next ten times: ten to that power in all. */
const nested = (depth: number) => [
  CATALOG,
  ONE_PAGE,
  pageWith('/Resources << /XObject << /X 5 0 R >> >> /Contents 4 0 R'),
  stream('', Buffer.from('/X Do')),
  ...Array.from({ length: depth }, (_, i) =>
    stream(
      `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X ${i + 6} 0 R >> >>`,
      Buffer.from(i + 1 < depth ? '/X Do '.repeat(10) : '0 0 1 1 re f '),
    ),
  ),
];
/** What is refused before it is paid for: small files that draw very much. */
const BUSY_PAGES: readonly (readonly [string, () => Uint8Array])[] = [
  ['a quarter of a million squares', () => pdfOf(drawing('0 0 9 9 re S '.repeat(250_000)))],
  ['one path of a million lines', () => pdfOf(drawing(`0 0 m ${'9 9 l '.repeat(1_000_000)}S`))],
  ['forms within forms', () => pdfOf(nested(6))],
  [
    'a text of a million characters',
    () =>
      pdfOf([
        ...drawing(`BT /F 8 Tf (${'A'.repeat(1_000_000)}) Tj ET`, '/Resources << /Font << /F 5 0 R >> >>'),
        '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      ]),
  ],
  [
    '6,000 annotations',
    () =>
      pdfOf([
        CATALOG,
        ONE_PAGE,
        pageWith(`/Annots [${Array.from({ length: 6_000 }, (_, i) => `${i + 4} 0 R`).join(' ')}]`),
        ...Array.from({ length: 6_000 }, () => '<< /Type /Annot /Subtype /Text /Rect [0 0 9 9] >>'),
      ]),
  ],
];

const FILES: readonly (readonly [string, CertificateErrorCode, () => Uint8Array | Promise<Uint8Array>])[] = [
  ['nothing at all', 'EMPTY', () => new Uint8Array()],
  ['one byte more than there may be', 'TOO_LARGE', () => new Uint8Array(7_864_321)],
  ['a page of HTML', 'NOT_A_PDF', () => latin1('<!doctype html><title>%PDF</title>')],
  ['megabytes of garbage', 'NOT_A_PDF', () => new Uint8Array(7_864_320).fill(0x5a)],
  ['garbage behind a true beginning', 'BROKEN', () => latin1(`%PDF-1.7\n${'garbage '.repeat(100_000)}`)],
  ['an encrypted file', 'ENCRYPTED', encrypted],
  ['a script on pages that are no certificate', 'NO_CERTIFICATE', scripted],
  [
    'an action that starts something, spelled in hexadecimal',
    'SCRIPTED',
    () =>
      pdfOf([
        '<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /L#61unch /F (x) >> >>',
        ONE_PAGE,
        pageWith(''),
      ]),
  ],
  [
    'an action that starts something, in a stream of objects',
    'SCRIPTED',
    () =>
      pdfOf([
        CATALOG,
        ONE_PAGE,
        pageWith(''),
        stream(
          '/Type /ObjStm /N 1 /First 5 /Filter /FlateDecode',
          deflateSync(Buffer.from('9 0  << /S /Launch /F (x) >>')),
        ),
      ]),
  ],
  [
    'a program that is to be started',
    'SCRIPTED',
    () =>
      pdfOf([
        '<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /Launch /F (cmd) >> >>',
        ONE_PAGE,
        pageWith(''),
      ]),
  ],
  ['a file within the file', 'EMBEDDED_FILES', withFile],
  ['5,000 pages', 'TOO_MANY_PAGES', () => pdfOf(pageTree(5_000))],
  ['21 pages', 'TOO_MANY_PAGES', () => pdfOf(pageTree(21))],
  ['no pages', 'BROKEN', () => pdfOf([CATALOG, '<< /Type /Pages /Kids [] /Count 0 >>'])],
  [
    'pages that are their own parents',
    'BROKEN',
    () => pdfOf([CATALOG, '<< /Type /Pages /Kids [2 0 R] /Count 1 >>']),
  ],
  ['a picture of 3.6 billion pixels', 'PICTURE_TOO_LARGE', () => pdfOf(showing(picture(60_000, 60_000)))],
  [
    'a page of two miles',
    'PICTURE_TOO_LARGE',
    () => pdfOf([CATALOG, ONE_PAGE, '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9000000 9000000] >>']),
  ],
  [
    'a stream that unpacks to 80 MiB',
    'STREAM_TOO_LARGE',
    () => pdfOf(showing(stream('/Filter /FlateDecode', bomb(80)))),
  ],
  [
    'a stream packed twice',
    'STREAM_TOO_LARGE',
    () => pdfOf(showing(stream('/Filter [/FlateDecode /FlateDecode]', deflateSync(bomb(80))))),
  ],
  [
    'many streams that are too much together',
    'STREAM_TOO_LARGE',
    () =>
      pdfOf([
        ...showing(stream('', Buffer.from(''))),
        ...Array.from({ length: 6 }, () => stream('/Filter /FlateDecode', bomb(50))),
      ]),
  ],
  [
    'a form that draws itself',
    'NO_CERTIFICATE',
    () =>
      pdfOf(
        showing(
          stream(
            '/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 4 0 R >> >>',
            Buffer.from('/X Do'),
          ),
        ),
      ),
  ],
  [
    'a table of objects that refers to itself',
    'NO_CERTIFICATE',
    () => pdfOf([CATALOG, ONE_PAGE, pageWith('')], '/Prev 9'),
  ],
  ['a letter', 'NO_CERTIFICATE', () => pdfOf([CATALOG, ONE_PAGE, pageWith('')])],
];

it.each(FILES)('refuses %s as %s', async (_what, code, file) => {
  const error = await reader.read(await file()).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(CertificateError);
  expect(error).toMatchObject({ code });
});

it.each(BUSY_PAGES)(
  'refuses a page with %s before it is read, and names bound and value',
  async (_what, file) => {
    const error = await reader.inspect(file()).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'STREAM_TOO_LARGE',
      message: expect.stringMatching(/^page 1 has \d+ /),
    });
    const { max, got } = error as CertificateError;
    expect(got).toBeGreaterThan(max as number);
  },
);

it('names bound and value of what is too much', async () => {
  await expect(reader.inspect(pdfOf(pageTree(21)))).rejects.toMatchObject({ max: 20, got: 21 });
  await expect(reader.inspect(new Uint8Array(7_864_321))).rejects.toMatchObject({
    max: 7_864_320,
    got: 7_864_321,
  });
});

it('answers every mutation of a certificate with a reading or a refusal, and goes on', async () => {
  const { bytes } = await generateCertificate(7, { variant: 'fillable' });
  const mutation = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 40 });
  const cut = fc.nat(bytes.length - 1);
  const runs = process.env.SUITE_TIER === 'long' ? 400 : 8;
  await fc.assert(
    fc.asyncProperty(mutation, fc.option(cut), async (changes, end) => {
      const file = bytes.slice(0, end ?? undefined);
      for (const [at, byte] of changes) if (at < file.length) file[at] = byte;
      const result = await reader.read(file).catch((error: unknown) => error);
      return result instanceof CertificateError || (result as { variant?: string }).variant !== undefined;
    }),
    { numRuns: runs, seed: 20_260_322 },
  );
  await expect(reader.inspect(bytes)).resolves.toMatchObject({ formFields: expect.any(Number) });
});

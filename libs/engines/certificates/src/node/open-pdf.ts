import { PDFDocument } from '@cantoo/pdf-lib';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { getDocument, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { CertificateError } from '../certificate-error.js';
import { CERTIFICATE_FILE_PAGES_MAX } from '../extracted-certificate.js';
import { PICTURE_PIXELS_MAX, scanFileStructure } from './file-structure.js';

/** Points of a page's longer side: twice that of the longest sheet that certificates are printed on. */
const PAGE_POINTS_MAX = 2_448;
const PDFJS = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));

/** A file that has opened. */
export interface OpenPdf {
  readonly document: PDFDocumentProxy;
  readonly pages: readonly PDFPageProxy[];
  readonly hasForm: boolean;
  /** It holds an XFA form beside its fields. */
  readonly hasXfa: boolean;
  /** Its dictionaries as text, as the file has them and not as the library reads them. */
  readonly objects: string;
  /** What it would do in other viewers and does not do here: `a script`, `an action that sends it`. */
  readonly ignored: readonly string[];
}

/** What a viewer of a certificate has no reason to start. */
const STARTS = /\/(Launch|RichMedia|Rendition|ImportData|GoToE)\b/;
/** What forms do by themselves: check their dates, ask to be sent. Nothing of it is run. */
const IGNORED: readonly (readonly [what: string, how: RegExp])[] = [
  ['a script', /\/(JavaScript|JS)\b/],
  ['an action that sends it', /\/SubmitForm\b/],
];
const ENCRYPTED = 'the file asks for a password; send it without one';
/**
 * What lies in encrypted streams of objects is unpacked before its length is known: packed they have as many bytes, so that at
 * most 1,032 times as much is set aside.
 */
const ENCRYPTED_OBJECTS_MAX = 2 ** 18;
const FILES = /\/(EmbeddedFile|EmbeddedFiles|FileAttachment)\b/;

function checkStart(bytes: Uint8Array): void {
  // Readers allow for bytes before it; a mail's header or a page of HTML is longer.
  const head = Buffer.from(bytes.subarray(0, 1024)).toString('latin1');
  if (!/%PDF-[12]\.\d/.test(head))
    throw new CertificateError('NOT_A_PDF', 'the file does not begin as a PDF');
}

/**
 * The objects of a file as text. One that is encrypted and opens without a password, as the published form does, is decrypted
 * for that and held to the same bounds.
 */
async function objectsOf(bytes: Uint8Array): Promise<string> {
  const { objects, objectStreamBytes: got } = scanFileStructure(bytes);
  if (!/\/Encrypt\b/.test(objects)) return objects;
  const max = ENCRYPTED_OBJECTS_MAX;
  if (got > max) {
    const message = `the objects of an encrypted file have at most ${max} bytes in streams, got ${got}`;
    throw new CertificateError('STREAM_TOO_LARGE', message, { max, got });
  }
  let plain: Uint8Array;
  try {
    const document = await PDFDocument.load(bytes, { updateMetadata: false, password: '' });
    plain = await document.save({ useObjectStreams: false, updateFieldAppearances: false });
  } catch {
    throw new CertificateError('ENCRYPTED', ENCRYPTED);
  }
  return scanFileStructure(plain).objects;
}

function checkObjects(objects: string): void {
  const start = STARTS.exec(objects);
  if (start) {
    throw new CertificateError('SCRIPTED', `the file holds an action that starts something (${start[1]})`);
  }
  if (FILES.test(objects)) throw new CertificateError('EMBEDDED_FILES', 'the file holds other files');
}

/** What the structure alone did not show, since it lay in streams of another packing. */
async function checkDocument(document: PDFDocumentProxy): Promise<void> {
  const files = (await document.getAttachments()) as Map<string, unknown> | Record<string, unknown> | null;
  if (files && (files instanceof Map ? files.size : Object.keys(files).length) > 0) {
    throw new CertificateError('EMBEDDED_FILES', 'the file holds other files');
  }
}

function checkPages(pages: readonly PDFPageProxy[]): void {
  for (const page of pages) {
    const { width, height } = page.getViewport({ scale: 1 });
    const got = Math.ceil(Math.max(width, height));
    if (!(got <= PAGE_POINTS_MAX)) {
      throw new CertificateError(
        'PICTURE_TOO_LARGE',
        `a page has at most ${PAGE_POINTS_MAX} points on a side, got ${got}`,
        { max: PAGE_POINTS_MAX, got },
      );
    }
    if (!(Math.min(width, height) >= 1))
      throw new CertificateError('BROKEN', 'a page of the file has no extent');
  }
}

async function load(bytes: Uint8Array): Promise<PDFDocumentProxy> {
  const task = getDocument({
    data: bytes,
    isEvalSupported: false,
    enableXfa: false,
    disableFontFace: true,
    useSystemFonts: false,
    stopAtErrors: false,
    maxImageSize: PICTURE_PIXELS_MAX,
    canvasMaxAreaInBytes: 4 * PICTURE_PIXELS_MAX,
    standardFontDataUrl: join(PDFJS, 'standard_fonts/'),
    cMapUrl: join(PDFJS, 'cmaps/'),
    wasmUrl: join(PDFJS, 'wasm/'),
    verbosity: VerbosityLevel.ERRORS,
  });
  task.onPassword = () => {
    throw new CertificateError('ENCRYPTED', ENCRYPTED);
  };
  try {
    return await task.promise;
  } catch (error) {
    if (error instanceof CertificateError) throw error;
    if ((error as Error).name === 'PasswordException') {
      throw new CertificateError('ENCRYPTED', ENCRYPTED);
    }
    throw new CertificateError('BROKEN', 'the file begins as a PDF, and what follows cannot be read');
  }
}

/**
 * Opens a file after its structure was looked at. Nothing in it is run.
 * @throws CertificateError
 */
export async function openPdf(bytes: Uint8Array): Promise<OpenPdf> {
  checkStart(bytes);
  const objects = await objectsOf(bytes);
  checkObjects(objects);
  const document = await load(bytes.slice());
  const got = document.numPages;
  if (got > CERTIFICATE_FILE_PAGES_MAX) {
    const max = CERTIFICATE_FILE_PAGES_MAX;
    throw new CertificateError('TOO_MANY_PAGES', `a file has at most ${max} pages, got ${got}`, { max, got });
  }
  if (got < 1) throw new CertificateError('BROKEN', 'the file has no pages');
  const pages: PDFPageProxy[] = [];
  for (let number = 1; number <= got; number++) {
    try {
      pages.push(await document.getPage(number));
    } catch {
      throw new CertificateError('BROKEN', `page ${number} of the file cannot be read`);
    }
  }
  checkPages(pages);
  await checkDocument(document);
  const { info } = (await document.getMetadata()) as {
    info: { IsXFAPresent?: boolean; IsAcroFormPresent?: boolean };
  };
  return {
    document,
    pages,
    hasForm: info.IsAcroFormPresent === true,
    hasXfa: info.IsXFAPresent === true,
    objects,
    ignored: IGNORED.filter(([, how]) => how.test(objects)).map(([what]) => what),
  };
}

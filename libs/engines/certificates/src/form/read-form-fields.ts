import {
  PDFArray,
  PDFBool,
  PDFDict,
  PDFDocument,
  PDFName,
  PDFNumber,
  PDFStream,
  type PDFObject,
} from '@cantoo/pdf-lib';
import type { CertificateField } from '../certificate-field.js';
import type { Box, ExtractedField, NamedText } from '../extracted-certificate.js';
import { type DrawnAppearance, drawnAppearance } from './drawn-text.js';
import { certificateFieldOf, isMark, leafOf, printedValue } from './field-name.js';
import {
  acroFormOf,
  type FormLeaf,
  formLeaves,
  type FormWidget,
  otherAnnotations,
  textOf,
} from './form-widget.js';
import { isPlainAppearance } from './plain-appearance.js';
import { differingXfaValues } from './xfa-values.js';

/** Fewer known fields than this are a form of something else. */
const FIELDS_MIN = 8;
/** Fields of other names whose text is kept. */
const OTHERS_MAX = 64;
/** Earlier states of a file that are compared with the last. */
const REVISIONS_MAX = 4;

/** A form as it was read. */
export interface FormReading {
  readonly fields: Readonly<Partial<Record<CertificateField, ExtractedField>>>;
  /** What stands in text fields of other names. */
  readonly otherText: readonly NamedText[];
  /** In words, at most one for each field and kind. */
  readonly tamperSigns: readonly string[];
  /** Whether each text is drawn so that it is seen as it is written; else the page is to be looked at. */
  readonly isPlainlyDrawn: boolean;
}

/**
 * The fields of a certificate that is a fillable form, and what speaks for a change after it was made: values that differ from
 * what is drawn, fields that contradict each other, that viewers hide or that something covers, values that a later revision
 * of the file replaced, and bytes that a signature does not cover. Nothing in the file is executed.
 *
 * @returns `undefined` where the file has no form of a certificate
 * @throws what pdf-lib throws for files that it cannot read
 */
export async function readFormFields(bytes: Uint8Array): Promise<FormReading | undefined> {
  const last = await readRevision(bytes);
  if (!last) return undefined;
  const signs = [...last.tamperSigns, ...(await replacedValues(bytes, last.fields))];
  return { ...last, tamperSigns: [...new Set(signs)] };
}

async function readRevision(bytes: Uint8Array): Promise<FormReading | undefined> {
  // The published form is encrypted, and opens without a password.
  const options = { updateMetadata: false, throwOnInvalidObject: false, password: '' };
  const document = await PDFDocument.load(bytes, options);
  const form = acroFormOf(document);
  if (!form) return undefined;
  const leaves = formLeaves(document, form);
  const known = leaves.flatMap(leaf => {
    const field = certificateFieldOf(leaf.name);
    return field === undefined ? [] : [{ field, leaf }];
  });
  if (known.length < FIELDS_MIN) return undefined;
  const needsAppearances = form.lookup(PDFName.of('NeedAppearances')) === PDFBool.True;
  const reading = new FormSigns(needsAppearances, otherAnnotations(document));
  for (const { field, leaf } of known) reading.read(field, leaf);
  for (const leaf of leaves) reading.signature(leaf, bytes);
  const { isPlainlyDrawn } = reading;
  const fields = Object.fromEntries(reading.fields);
  const signs = [...reading.signs, ...differingXfaValues(document, fields)];
  return { fields, otherText: otherTexts(leaves), tamperSigns: signs, isPlainlyDrawn };
}

function otherTexts(leaves: readonly FormLeaf[]): NamedText[] {
  return leaves
    .filter(({ name, type }) => /^(Tx|Ch)$/.test(type) && certificateFieldOf(name) === undefined)
    .flatMap(({ name, value, widgets }) => {
      const text = textOf(value).trim();
      const { page, box } = widgets[0] ?? {};
      return text === '' ? [] : [{ name: leafOf(name), value: text, confidence: 1, page, box }];
    })
    .slice(0, OTHERS_MAX);
}

/** Fields that an earlier state of the file filled in with something else. */
async function replacedValues(bytes: Uint8Array, now: FormReading['fields']): Promise<string[]> {
  const signs: string[] = [];
  const ends = revisionEnds(bytes).slice(0, -1).slice(-REVISIONS_MAX);
  for (const end of ends) {
    let earlier: FormReading | undefined;
    try {
      earlier = await readRevision(bytes.subarray(0, end));
    } catch {
      // The first part of a linearised file ends so too, and is no file of its own.
      continue;
    }
    for (const [field, before] of Object.entries(earlier?.fields ?? {}) as [
      CertificateField,
      ExtractedField,
    ][]) {
      const after = now[field]?.value;
      if (after !== before.value) signs.push(`${field} was changed after the file was made`);
    }
  }
  return signs;
}

/** Offsets behind each end-of-file mark. */
function revisionEnds(bytes: Uint8Array): number[] {
  const mark = [...'%%EOF'].map(char => char.charCodeAt(0));
  const ends: number[] = [];
  for (let at = bytes.indexOf(mark[0]); at >= 0; at = bytes.indexOf(mark[0], at + 1)) {
    if (mark.every((byte, i) => bytes[at + i] === byte)) ends.push(at + mark.length);
  }
  return ends;
}

/** Values and signs, gathered field by field. */
class FormSigns {
  readonly fields = new Map<CertificateField, ExtractedField>();
  readonly signs: string[] = [];
  isPlainlyDrawn = true;
  private readonly values = new Map<CertificateField, string | undefined>();

  constructor(
    private readonly needsAppearances: boolean,
    private readonly covers: readonly { page: number; box: Box; subtype: string }[],
  ) {}

  read(field: CertificateField, leaf: FormLeaf): void {
    const value = leaf.type === 'Btn' ? this.mark(field, leaf) : this.text(field, leaf);
    if (this.values.has(field) && this.values.get(field) !== value) {
      this.signs.push(`${field} stands in the form more than once, with different values`);
    }
    this.values.set(field, value);
    if (value === undefined || this.fields.has(field)) return;
    const shown = leaf.widgets.find(({ box, isHidden }) => box && !isHidden);
    if (!shown) this.signs.push(`${field} has a value that no page shows`);
    const where = shown && { page: shown.page, box: shown.box };
    this.fields.set(field, { value, confidence: 1, ...where });
    if (
      shown &&
      this.covers.some(cover => cover.page === shown.page && overlap(cover.box, shown.box as Box))
    ) {
      this.signs.push(`${field} lies under a note or a stamp`);
    }
  }

  /** Whoever signed the bytes before an addition did not sign the addition. */
  signature({ type, value }: FormLeaf, bytes: Uint8Array): void {
    if (type !== 'Sig' || !(value instanceof PDFDict)) return;
    const range = value.lookup(PDFName.of('ByteRange'));
    const numbers =
      range instanceof PDFArray
        ? range.asArray().map(part => (part instanceof PDFNumber ? part.asNumber() : NaN))
        : [];
    const [start, , , length] = numbers;
    const end = numbers.length === 4 && start === 0 ? numbers[2] + length : NaN;
    const rest = bytes.subarray(Number.isFinite(end) ? end : 0);
    if (!(end <= bytes.length) || rest.some(byte => byte > 0x20)) {
      this.signs.push('the file was changed after it was signed: the signature does not cover all of it');
    }
  }

  private text(field: CertificateField, leaf: FormLeaf): string | undefined {
    if (leaf.type === 'Sig') return leaf.value instanceof PDFDict ? signerOf(leaf.value) : undefined;
    const value = printedValue(field, textOf(leaf.value));
    for (const widget of leaf.widgets) {
      if (widget.isHidden || !widget.box) continue;
      const stream = appearance(widget, undefined);
      const drawn = drawnAppearance(stream);
      if (value !== undefined && !this.isPlain(widget, stream, drawn)) this.isPlainlyDrawn = false;
      if (drawn && !drawn.isLegible) {
        this.signs.push(`${field} is drawn in a way that cannot be compared with its value`);
      } else if (!this.isDrawnAs(value, drawn?.text ?? '')) {
        this.signs.push(`${field} shows something other than its value`);
      }
    }
    return value;
  }

  /** Whether a text is seen as its appearance writes it; what viewers draw themselves is. */
  private isPlain(
    { dict, box }: FormWidget,
    stream: PDFObject | undefined,
    drawn: DrawnAppearance | undefined,
  ): boolean {
    if (dict.has(PDFName.of('OC'))) return false;
    if (!drawn || !(stream instanceof PDFStream) || !box) return this.needsAppearances;
    return isPlainAppearance(drawn.tokens, stream.dict, box);
  }

  /** Viewers that are told so draw values themselves, where nothing is drawn yet. */
  private isDrawnAs(value: string | undefined, drawn: string): boolean {
    const [wanted, got] = [value ?? '', drawn].map(text => text.replace(/\s+/g, ''));
    return wanted === got || (this.needsAppearances && got === '');
  }

  private mark(field: CertificateField, leaf: FormLeaf): string | undefined {
    const state = textOf(leaf.value);
    const isOn = state !== '' && state !== 'Off';
    for (const widget of leaf.widgets) {
      if (widget.dict.has(PDFName.of('OC'))) this.isPlainlyDrawn = false;
      const drawnState = textOf(widget.dict.lookup(PDFName.of('AS')));
      const isDrawnOn = drawnState !== '' && drawnState !== 'Off';
      const has = drawnState !== '' || appearance(widget, 'Off') !== undefined;
      // With several widgets each stands for a state of its own.
      if (leaf.widgets.length === 1 && has && isDrawnOn !== isOn) {
        this.signs.push(`${field} shows something other than its value`);
      }
      if (!this.drawsStates(widget, isDrawnOn ? drawnState : undefined)) {
        this.signs.push(`${field} is drawn ticked and unticked alike`);
      }
    }
    if (!isOn) return undefined;
    return isMark(field) ? 'X' : (printedValue(field, /^(n|no)$/i.test(state) ? state : 'X') ?? undefined);
  }

  /** Ticked there is more to see than unticked. */
  private drawsStates(widget: FormWidget, on: string | undefined): boolean {
    const strokesOff = drawnAppearance(appearance(widget, 'Off'))?.strokes ?? 0;
    const ticked = on ?? onStateOf(widget);
    if (ticked === undefined) return on === undefined;
    const drawn = drawnAppearance(appearance(widget, ticked));
    if (!drawn) return this.needsAppearances || on === undefined;
    return !drawn.isLegible || drawn.strokes > strokesOff;
  }
}

function appearance({ dict }: FormWidget, state: string | undefined): PDFObject | undefined {
  const all = dict.lookup(PDFName.of('AP'));
  const normal = all instanceof PDFDict ? all.lookup(PDFName.of('N')) : undefined;
  if (!(normal instanceof PDFDict)) return state === undefined ? normal : undefined;
  return state === undefined ? undefined : normal.lookup(PDFName.of(state));
}

function onStateOf({ dict }: FormWidget): string | undefined {
  const all = dict.lookup(PDFName.of('AP'));
  const normal = all instanceof PDFDict ? all.lookup(PDFName.of('N')) : undefined;
  if (!(normal instanceof PDFDict)) return undefined;
  return normal
    .keys()
    .map(key => key.decodeText())
    .find(key => key !== 'Off');
}

/** Whose name the signature bears; that it is theirs is not checked here. */
function signerOf(signature: PDFDict): string {
  return textOf(signature.lookup(PDFName.of('Name'))).trim() || 'signed digitally';
}

function overlap(a: Box, b: Box): boolean {
  return a[0] < b[2] - 1 && b[0] < a[2] - 1 && a[1] < b[3] - 1 && b[1] < a[3] - 1;
}

import type { CertificateField } from './certificate-field.js';

/** Left, top, right, bottom in points (1/72 inch) from the page's top left corner. */
export type Box = readonly [left: number, top: number, right: number, bottom: number];

/** How fields were read: form fields, the text layer, recognised characters, or as a caller sent them. */
export type CertificateVariant = 'fillable' | 'flattened' | 'scanned' | 'fields';

/** One field as it was read. */
export interface ExtractedField {
  /** As printed, trimmed; a ticked box is `X`, an empty one is left out. */
  readonly value: string;
  /** How sure the reading is, 0 … 1: 1 for form fields and what a caller sent. */
  readonly confidence: number;
  /** From 1. */
  readonly page?: number;
  readonly box?: Box;
}

/** Text of a form by the name of its field, without what is above it. */
export interface NamedText extends ExtractedField {
  readonly name: string;
}

/** A certificate as it was read, before any rule. */
export interface ExtractedCertificate {
  readonly variant: CertificateVariant;
  readonly fields: Readonly<Partial<Record<CertificateField, ExtractedField>>>;
  /**
   * Fields in whose place nothing stands, where every place is known; what is neither there nor read was not read. Undefined
   * where places are not known: then nothing is.
   */
  readonly blank?: readonly CertificateField[];
  /** Text in fields of a form that are none of these, by their names: it is on the page, whatever it is. */
  readonly otherText?: readonly NamedText[];
  readonly pages: number;
  /** Texts of pages that are no certificate: endorsements that came along. */
  readonly attachments: readonly { readonly page: number; readonly text: string }[];
  /**
   * Signs that the file was changed after it was made, in words: form values that differ from what is drawn, overlaid text,
   * an incremental update over a signature. Each leads to REVIEW.
   */
  readonly tamperSigns: readonly string[];
  /** Edition that the form names at its foot: `2016/03`. */
  readonly edition?: string;
  /** What the file would do in other viewers, and did not do here: `a script`, `an action that sends it`. */
  readonly ignored?: readonly string[];
}

/** Bytes that a certificate file may have: what fits into one message of the bus. */
export const CERTIFICATE_FILE_BYTES_MAX = 7_864_320;
/** Pages that a certificate file may have, endorsements among them. */
export const CERTIFICATE_FILE_PAGES_MAX = 20;

/** What a file shows before it is read. */
export interface CertificateInspection {
  readonly pages: number;
  /** Form fields that hold a certificate's values, if filled. */
  readonly formFields: number;
}

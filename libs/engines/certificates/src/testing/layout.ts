import type { CertificateField } from '../certificate-field.js';
import type { Box } from '../extracted-certificate.js';

/** `text` on one line, `paragraph` wrapped, `mark` a ticked box. */
export type CellKind = 'text' | 'paragraph' | 'mark';

/** Where the value of a field stands. */
export interface LayoutCell {
  readonly field: CertificateField;
  readonly kind: CellKind;
  readonly box: Box;
  /** What the form calls it, where that is not its name here. */
  readonly name?: string;
}

/** Printed text that belongs to the form; x and the baseline y in points from the page's top left corner. */
export interface LayoutLabel {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly bold: boolean;
}

/** A page of our own design: what is printed, and where values go. */
export interface CertificateLayout {
  readonly id: LayoutId | `published ${string}`;
  readonly width: number;
  readonly height: number;
  readonly labels: readonly LayoutLabel[];
  readonly cells: readonly LayoutCell[];
  /** From, to. */
  readonly lines: readonly Box[];
  /** Frames of squares to tick, where they are not those of the cells. */
  readonly frames?: readonly Box[];
}

/** `columns`: one table; `panels`: a panel for each policy; `ledger`: landscape, other words, other order. */
export type LayoutId = 'columns' | 'panels' | 'ledger';

/** Letters that insurers go by on the page. */
export const INSURER_LETTERS = ['A', 'B', 'C', 'D', 'E', 'F'] as const;

/** Puts a layout together, piece by piece. */
export class LayoutSketch {
  private readonly labels: LayoutLabel[] = [];
  private readonly cells: LayoutCell[] = [];
  private readonly lines: Box[] = [];

  constructor(
    private readonly id: LayoutId,
    private readonly width: number,
    private readonly height: number,
  ) {
    this.label('SYNTHETIC - made for tests, insures nobody', 24, 20, 7);
  }

  label(text: string, x: number, y: number, size = 6.5, bold = false): this {
    this.labels.push({ text, x, y, size, bold });
    return this;
  }

  /** A value on one line; y is the top of its cell. */
  text(field: CertificateField, x: number, y: number, width: number, height = 11): this {
    this.cells.push({ field, kind: 'text', box: [x, y, x + width, y + height] });
    return this;
  }

  paragraph(field: CertificateField, x: number, y: number, width: number, height: number): this {
    this.cells.push({ field, kind: 'paragraph', box: [x, y, x + width, y + height] });
    return this;
  }

  /** A square to tick, and the words on its right. */
  mark(field: CertificateField, text: string, x: number, y: number, size = 6.5): this {
    this.cells.push({ field, kind: 'mark', box: [x, y, x + 9, y + 9] });
    return this.label(text, x + 12, y + 7, size);
  }

  /** A name, a street, and city, state and postal code beside each other. */
  party(who: 'Producer' | 'NamedInsured' | 'CertificateHolder', x: number, y: number, width: number): this {
    return this.text(`${who}_FullName`, x, y, width)
      .text(`${who}_MailingAddress_LineOne`, x, y + 12, width)
      .text(`${who}_MailingAddress_CityName`, x, y + 24, width - 110)
      .text(`${who}_MailingAddress_StateOrProvinceCode`, x + width - 105, y + 24, 28)
      .text(`${who}_MailingAddress_PostalCode`, x + width - 70, y + 24, 60);
  }

  frame(left: number, top: number, right: number, bottom: number): this {
    this.lines.push(
      [left, top, right, top],
      [left, bottom, right, bottom],
      [left, top, left, bottom],
      [right, top, right, bottom],
    );
    return this;
  }

  line(x1: number, y1: number, x2: number, y2: number): this {
    this.lines.push([x1, y1, x2, y2]);
    return this;
  }

  finish(): CertificateLayout {
    const { id, width, height, labels, cells, lines } = this;
    return { id, width, height, labels, cells, lines };
  }
}

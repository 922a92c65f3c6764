import type { Box } from '../extracted-certificate.js';
import { certificateFieldOf } from '../form/field-name.js';
import {
  FORM_HEIGHT,
  FORM_ROW,
  type FormBlock,
  PUBLISHED_FORM,
  REMARKS_FIELD,
} from '../text/published-form.js';
import type { CertificateLayout, LayoutCell, LayoutLabel } from './layout.js';

/** Editions of the published certificate of liability insurance that are rebuilt here. */
export type PublishedEdition = '2016/03' | '2025/12';

/** Points that the parts of an edition stand lower than those of 2016/03. */
const LOWER = {
  '2016/03': { parties: 0, policies: 0, foot: 0 },
  '2025/12': { parties: 14.4, policies: 26.4, foot: 14 },
} as const;

type Print = readonly [text: string, left: number, baseline: number, size: number, bold?: boolean];

/** The running text is our own, and uses the words that a reader could take for labels. */
const HEAD: readonly Print[] = [
  ['SYNTHETIC - made for tests, insures no one', 24, 775, 7],
  ['CERTIFICATE OF LIABILITY INSURANCE', 162.4, 751.3, 14, true],
  ['DATE (MM/DD/YYYY)', 521.3, 760.1, 6, true],
  [
    'THIS CERTIFICATE INFORMS; IT GIVES THE CERTIFICATE HOLDER NO RIGHTS AND CHANGES NO COVERAGE OF THE POLICIES',
    28.8,
    734.8,
    7.4,
    true,
  ],
  [
    'BELOW. IT IS NO CONTRACT BETWEEN THE ISSUING INSURER(S), AUTHORIZED REPRESENTATIVE OR PRODUCER, AND THE',
    28.8,
    725.2,
    7.4,
    true,
  ],
  ['CERTIFICATE HOLDER.', 28.8, 715.6, 7.4, true],
  [
    'NOTE: a holder who is to be an ADDITIONAL INSURED needs ADDITIONAL INSURED wording in the policy(ies) or an',
    28.8,
    694,
    7.4,
    true,
  ],
  [
    'endorsement. IF SUBROGATION IS WAIVED, some policies need an endorsement of their own; a statement here',
    28.8,
    684.4,
    7.4,
    true,
  ],
];
const CERTIFICATION: readonly Print[] = [
  [
    'THE POLICIES OF INSURANCE LISTED HERE WERE ISSUED TO THE INSURED ABOVE FOR THE POLICY PERIOD SHOWN, WHATEVER',
    28.8,
    532.1,
    7,
  ],
  [
    'A CONTRACT ASKS FOR. COVERAGE IS SUBJECT TO ALL TERMS, EXCLUSIONS AND CONDITIONS OF SUCH POLICIES.',
    28.8,
    523.8,
    7,
  ],
  ['LIMITS SHOWN MAY HAVE BEEN REDUCED BY PAID CLAIMS.', 28.8, 515.5, 7],
];
const INCLUSIVE: Print = [
  '*LIMITS SHOWN ARE INCLUSIVE OF AMOUNTS REQUESTED BY THE CERTIFICATE HOLDER AND MAY NOT SHOW MORE.',
  28.8,
  507.2,
  7,
];
const CANCELLATION: readonly Print[] = [
  ['IF ONE OF THE POLICIES ABOVE IS CANCELLED BEFORE ITS EXPIRATION', 316.8, 114.1, 7, true],
  ['DATE, NOTICE IS GIVEN AS THE PROVISIONS OF THE POLICY SAY.', 316.8, 105.8, 7, true],
];
/** Labels that are larger than the rest. */
const HEADINGS = new Set([
  'COVERAGES',
  'CERTIFICATE NUMBER:',
  'REVISION NUMBER:',
  'CERTIFICATE HOLDER',
  'CANCELLATION',
]);
/** Labels that are not bold. */
const LIGHT = /occurrence|person|accident|ADV|AGG|OCCUR|MADE|LOC|AUTO$|ONLY|^\$|EACH|E\.L\./i;

/** Columns and rows of the table, from the lower left corner. */
const COLUMNS = [18, 36, 176.4, 194.4, 212.4, 331.2, 378, 424.8, 594];
const ROWS = [228, 264, 312, 348, 408, 492, 504];
const LIMIT_ROWS = [276, 288, 300, 324, 336, 360, 372, 384, 396, 420, 432, 444, 456, 468, 480];

/**
 * A page of our own that has boxes, labels, field names and rules where public descriptions say that those of the published
 * certificate stand, with running text of our own and marked synthetic. The form itself is its publisher's and is not here.
 */
export function publishedLayout(edition: PublishedEdition): CertificateLayout {
  const lower = LOWER[edition];
  const labels: LayoutLabel[] = [];
  const cells: LayoutCell[] = [];
  const frames: Box[] = [];
  const down = (y: number, by: number) => FORM_HEIGHT - y + by;
  const print = (all: readonly Print[], by: number) => {
    for (const [text, x, y, size, bold = false] of all) labels.push({ text, x, y: down(y, by), size, bold });
  };
  const block = ({ labels: printed, texts, ticks }: FormBlock, by: number) => {
    for (const [text, x, y] of printed) {
      const size = HEADINGS.has(text) ? 8.4 : 6;
      labels.push({ text, x, y: down(y, by), size, bold: !LIGHT.test(text) });
    }
    for (const [name, left, bottom, right, height = FORM_ROW] of texts) {
      const field = certificateFieldOf(name);
      const box: Box = [left, down(bottom + height, by), right, down(bottom, by)];
      if (field) cells.push({ field, kind: 'text', box, name });
    }
    for (const [name, left, bottom, right] of ticks) {
      const box: Box = [left, down(bottom + FORM_ROW, by), right, down(bottom, by)];
      const field = certificateFieldOf(name);
      frames.push(box);
      if (field) cells.push({ field, kind: 'mark', box, name });
    }
  };
  print(HEAD, 0);
  const dateBox: Box = [511, down(756, 0), 590, down(744, 0)];
  cells.push({ field: 'Form_CompletionDate', kind: 'text', box: dateBox, name: 'Form_CompletionDate_A' });
  block(PUBLISHED_FORM.parties, lower.parties);
  print(CERTIFICATION, lower.parties);
  if (edition === '2025/12') print([INCLUSIVE], lower.parties);
  block(PUBLISHED_FORM.policies, lower.policies);
  frames.push([158.4, down(294, lower.policies), 172.8, down(282, lower.policies)]);
  const [name, left, bottom, right, height = 0] = REMARKS_FIELD;
  const remarks: Box = [left, down(bottom + height, lower.policies), right, down(bottom, lower.foot)];
  cells.push({ field: 'CertificateOfInsurance_RemarkText', kind: 'paragraph', box: remarks, name });
  block(PUBLISHED_FORM.foot, lower.foot);
  print(CANCELLATION, lower.foot);
  const isFirst = edition === '2016/03';
  const foot = isFirst ? 27.2 : 22;
  print(
    [
      [`ACORD 25 (${edition})`, 21.6, foot, 8.4, true],
      ['The name and logo of the publisher are registered marks', 187.2, foot, 6],
      [
        `© 1988-${isFirst ? 2015 : 2025} The publisher of the form. All rights reserved.`,
        380,
        isFirst ? 39.2 : foot,
        7,
        true,
      ],
    ],
    0,
  );

  return {
    id: `published ${edition}`,
    width: 612,
    height: FORM_HEIGHT,
    labels,
    cells,
    lines: rulesOf(lower),
    frames,
  };
}

/** The lines of the form: its table, and the frames of its parts. */
function rulesOf(lower: Readonly<Record<'parties' | 'policies' | 'foot', number>>): Box[] {
  const lines: Box[] = [];
  const down = (y: number, by: number) => FORM_HEIGHT - y + by;
  const rule = (x1: number, y1: number, x2: number, y2: number, by: number) =>
    lines.push([x1, down(y1, by), x2, down(y2, by)]);
  for (const x of COLUMNS) rule(x, 228, x, 504, lower.policies);
  rule(514.8, 228, 514.8, 492, lower.policies);
  for (const y of ROWS) rule(18, y, 594, y, lower.policies);
  for (const y of LIMIT_ROWS) rule(424.8, y, 594, y, lower.policies);
  for (const y of [552, 612, 672]) rule(18, y, 594, y, lower.parties);
  for (const y of [660, 648, 636, 624, 600, 588, 576, 564]) rule(306, y, 594, y, lower.parties);
  rule(306, 552, 306, 672, lower.parties);
  rule(540, 552, 540, 636, lower.parties);
  rule(18, 540, 594, 540, lower.parties);
  for (const x of [18, 594]) {
    rule(x, 552, x, 672, lower.parties);
    rule(x, 144 - lower.foot + lower.policies, x, 540, lower.policies);
    rule(x, 48, x, 132, lower.foot);
  }
  rule(18, 144, 594, 144, lower.foot);
  for (const y of [48, 132]) rule(18, y, 594, y, lower.foot);
  rule(306, 48, 306, 132, lower.foot);
  rule(306, 84, 594, 84, lower.foot);
  return lines;
}

import { SALES_IMPORT_BYTES_MAX, SALES_IMPORT_MAX } from '@svc/contracts';
import { UsageError } from './exit-code.js';

/** Largest file that is cut into imports, bytes. */
const FILE_BYTES_MAX = 256 * 1_048_576;

/** Body of one import. */
export type SalesBody = { readonly csv: string } | { readonly sales: readonly unknown[] };

/** One import of a file. */
export interface SalesPart {
  readonly body: SalesBody;
  /** Rows of the file before it. */
  readonly rowsBefore: number;
}

/** Most rows and bytes of one import. */
export interface PartBounds {
  readonly rowsMax: number;
  readonly bytesMax: number;
}

const BOUNDS: PartBounds = { rowsMax: SALES_IMPORT_MAX, bytesMax: SALES_IMPORT_BYTES_MAX };

/**
 * A file of sales as imports that are each within the bounds: a CSV with a header line, which every part begins with, a JSON
 * array, an object with `sales`, or a JSON object a line.
 * @throws UsageError for a file that is none of them
 */
export function salesParts(bytes: Uint8Array, path: string, bounds = BOUNDS): SalesPart[] {
  if (bytes.length > FILE_BYTES_MAX)
    throw new UsageError(`${path} has ${bytes.length} bytes; send at most ${FILE_BYTES_MAX} at once`);
  const text = utf8(bytes, path);
  const first = text.trimStart().charAt(0);
  if (first === '') throw new UsageError(`${path} is empty`);
  if (first !== '{' && first !== '[') return csvParts(text, bounds);
  return parts(jsonRows(text, path), sizeOf, sales => ({ sales }), bounds);
}

/** Names in another encoding would come into the catalogue with holes in them. */
export function utf8(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`${path} is not UTF-8; save it as UTF-8 (spreadsheets call it CSV UTF-8)`);
  }
}

const sizeOf = (row: unknown): number => Buffer.byteLength(JSON.stringify(row)) + 1;

function jsonRows(text: string, path: string): readonly unknown[] {
  const whole = parsed(text);
  if (Array.isArray(whole)) return whole;
  const sales = (whole as { sales?: unknown } | undefined)?.sales;
  if (Array.isArray(sales)) return sales;
  const lines = text.split('\n').filter(line => line.trim() !== '');
  return lines.map((line, index) => {
    const row = parsed(line);
    if (typeof row === 'object' && row !== null) return row;
    throw new UsageError(`${path} is no JSON: see line ${index + 1}`);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function csvParts(text: string, bounds: PartBounds): SalesPart[] {
  const [header, ...records] = csvRecords(text);
  const bytesMax = bounds.bytesMax - sizeOf(header);
  return parts(records, sizeOf, rows => ({ csv: header + rows.join('') }), { ...bounds, bytesMax });
}

/** The records of a CSV, each with its line end: a line end within quotes ends none. Lines without a cell are left out. */
function csvRecords(text: string): string[] {
  const records: string[] = [];
  let [from, quoted] = [0, false];
  for (let at = 0; at <= text.length; at++) {
    if (text[at] === '"') quoted = !quoted;
    if (at < text.length && (quoted || text[at] !== '\n')) continue;
    const record = text.slice(from, at + 1);
    if (record.trim() !== '') records.push(record.endsWith('\n') ? record : `${record}\n`);
    from = at + 1;
  }
  return records;
}

function parts<Row>(
  rows: readonly Row[],
  size: (row: Row) => number,
  bodyOf: (rows: readonly Row[]) => SalesBody,
  { rowsMax, bytesMax }: PartBounds,
): SalesPart[] {
  const found: SalesPart[] = [];
  let [from, bytes] = [0, 0];
  const close = (to: number) => {
    found.push({ body: bodyOf(rows.slice(from, to)), rowsBefore: from });
    [from, bytes] = [to, 0];
  };
  rows.forEach((row, index) => {
    const rowBytes = size(row);
    if (index > from && (index - from === rowsMax || bytes + rowBytes > bytesMax)) close(index);
    bytes += rowBytes;
  });
  close(rows.length);
  return found;
}

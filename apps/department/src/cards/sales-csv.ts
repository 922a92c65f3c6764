import { problem } from '@svc/platform';
import { type CsvError, parse } from 'csv-parse';

/** Longest record, characters: a quote that is never closed ends there. */
const RECORD_CHARS_MAX = 8_192;
/** Columns that a fault names. */
const NAMED_MAX = 20;

/** Columns by the path of their member; those of the card are one level down. */
const COLUMNS = [
  ...['itemId', 'venue', 'year', 'set', 'number', 'player', 'sport', 'parallel'],
  ...['company', 'grade', 'qualifier', 'price', 'fees', 'currency', 'soldAt', 'saleType'],
  ...['usdRate', 'rateDate', 'rateSource'],
  ...['url', 'verified', 'synthetic'],
] as const;
const OPTIONAL: ReadonlySet<string> = new Set([
  ...['sport', 'parallel', 'grade', 'qualifier', 'fees', 'url', 'verified', 'synthetic'],
  ...['usdRate', 'rateDate', 'rateSource'],
]);
const OF_CARD: ReadonlySet<string> = new Set(['year', 'set', 'number', 'player', 'sport', 'parallel']);
const OF_RATE: Readonly<Record<string, string>> = { usdRate: 'usd', rateDate: 'date', rateSource: 'source' };
const NUMBERS: ReadonlySet<string> = new Set(['year', 'grade']);
const FLAGS: ReadonlySet<string> = new Set(['verified', 'synthetic']);
const FLAG_TEXTS: Readonly<Record<string, boolean>> = {
  ...{ true: true, yes: true, '1': true, false: false, no: false, '0': false },
};

/** A row of an import before it is looked at: members as a SaleRow has them, of any type. */
export type RawSale = Readonly<Record<string, unknown>>;

/** One record of a file. */
export interface CsvSale {
  readonly sale: RawSale;
  /** What is wrong with the record itself. */
  readonly fault?: string;
}

/**
 * The sales of a CSV (RFC 4180: commas, quotes doubled, CRLF or LF, UTF-8 with a byte order mark or without). The first line
 * names the columns, in any order; case, blanks and underscores in the names do not matter.
 *
 * @param options.rowsMax reading stops there
 * @throws ProblemError UNPROCESSABLE for columns that are missing, unknown or doubled, for quotes that do not match, and for
 * more rows than `rowsMax`
 */
export async function readSalesCsv(
  text: string,
  { rowsMax }: { readonly rowsMax: number },
): Promise<CsvSale[]> {
  const long = longLineOf(text);
  if (long !== undefined) throw tooLong(long);
  const parser = parse({
    bom: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: RECORD_CHARS_MAX,
  });
  const writing = writeTo(parser, text);
  const sales: CsvSale[] = [];
  let columns: readonly string[] | undefined;
  try {
    for await (const record of parser as AsyncIterable<string[]>) {
      if (columns === undefined) {
        columns = columnsOf(record);
        continue;
      }
      if (sales.length === rowsMax) throw tooManyRows(rowsMax);
      sales.push(saleOf(columns, record));
    }
  } catch (error) {
    throw isCsvError(error) ? unreadable(error) : error;
  } finally {
    parser.destroy();
    await writing;
  }
  if (columns === undefined) throw fault('The CSV is empty', { message: 'has no header line' });
  if (sales.length === 0) throw fault('The CSV holds no sales', { message: 'has no row below its header' });
  return sales;
}

/** Line, from 1, that is longer than a record may be. The parser counts what cells hold, not the commas between millions. */
function longLineOf(text: string): number | undefined {
  let [from, line] = [0, 1];
  for (let at = 0; at < text.length; at++) {
    const end = text.charCodeAt(at) === 10 || text.charCodeAt(at) === 13;
    if (at - from >= RECORD_CHARS_MAX && !end) return line;
    if (end) [from, line] = [at + 1, line + 1];
  }
  return undefined;
}

/** Characters handed to the parser at once, so that a file is read no further than to its first fault. */
const CHUNK_CHARS = 65_536;

async function writeTo(parser: ReturnType<typeof parse>, text: string): Promise<void> {
  for (let at = 0; at < text.length && !parser.destroyed; at += CHUNK_CHARS) {
    if (parser.write(text.slice(at, at + CHUNK_CHARS))) continue;
    await new Promise<void>(resolve => {
      const go = () => {
        parser.off('drain', go).off('close', go);
        resolve();
      };
      parser.once('drain', go).once('close', go);
    });
  }
  if (!parser.destroyed) parser.end();
}

const nameOf = (header: string) => header.toLowerCase().replace(/[\s_]/g, '');
const BY_NAME: ReadonlyMap<string, string> = new Map(COLUMNS.map(column => [nameOf(column), column]));

function columnsOf(header: readonly string[]): string[] {
  const columns = header.map(name => BY_NAME.get(nameOf(name)));
  const unknown = header.filter((_, index) => columns[index] === undefined);
  const missing = COLUMNS.filter(column => !OPTIONAL.has(column) && !columns.includes(column));
  const doubled = columns.filter((column, index) => column !== undefined && columns.indexOf(column) < index);
  const faults = [
    ...missing.map(column => ({ message: `column ${column} is missing`, got: undefined })),
    ...unknown.map(name => ({ message: 'unknown column', got: name.slice(0, 80) })),
    ...doubled.map(column => ({ message: `column ${column} comes twice`, got: column })),
  ].slice(0, NAMED_MAX);
  if (faults.length > 0) {
    const bound = COLUMNS.join(',');
    const detail = faults.map(({ message, got }) => (got ? `${message} ${got}` : message)).join('; ');
    throw problem('UNPROCESSABLE', `csv: ${detail}`, {
      errors: faults.map(({ message, got }) => ({ path: 'csv', message, bound, got })),
    });
  }
  return columns as string[];
}

function saleOf(columns: readonly string[], record: readonly string[]): CsvSale {
  const sale: Record<string, unknown> = {};
  const card: Record<string, unknown> = {};
  const rate: Record<string, unknown> = {};
  columns.forEach((column, index) => {
    const cell = record[index]?.trim() ?? '';
    if (cell === '') return;
    if (column in OF_RATE) rate[OF_RATE[column]] = cell;
    else (OF_CARD.has(column) ? card : sale)[column] = valueOf(column, cell);
  });
  const raw = { ...sale, card, ...(Object.keys(rate).length > 0 && { rate }) };
  if (record.length === columns.length) return { sale: raw };
  return { sale: raw, fault: `has ${record.length} cells where the header has ${columns.length}` };
}

/** What is not as it should be stays text: the row's schema names it then. */
function valueOf(column: string, cell: string): unknown {
  if (NUMBERS.has(column)) return /^[0-9]{1,4}(\.[0-9]{1,3})?$/.test(cell) ? Number(cell) : cell;
  if (FLAGS.has(column)) return FLAG_TEXTS[cell.toLowerCase()] ?? cell;
  return cell;
}

const isCsvError = (error: unknown): error is CsvError =>
  error instanceof Error && typeof (error as { code?: unknown }).code === 'string' && 'lines' in error;

const REASONS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is not closed',
  CSV_INVALID_CLOSING_QUOTE: 'a quoted cell goes on after its closing quote',
  INVALID_OPENING_QUOTE: 'a quote opens within a cell',
  CSV_MAX_RECORD_SIZE: `a record is longer than ${RECORD_CHARS_MAX} characters`,
};

function unreadable(error: CsvError) {
  const message = REASONS[error.code] ?? 'a record cannot be read';
  return fault(`csv: ${message}, about line ${String(error.lines)}`, { message, got: error.lines });
}

const tooLong = (line: number) => {
  const message = REASONS.CSV_MAX_RECORD_SIZE;
  return fault(`csv: ${message}, about line ${line}`, { message, bound: RECORD_CHARS_MAX, got: line });
};

const tooManyRows = (rowsMax: number) =>
  fault(`csv: holds more than ${rowsMax} sales; send it in several imports`, {
    ...{ message: 'holds too many rows', bound: rowsMax },
  });

const fault = (detail: string, error: { message: string; bound?: unknown; got?: unknown }) =>
  problem('UNPROCESSABLE', detail, { errors: [{ path: 'csv', ...error }] });

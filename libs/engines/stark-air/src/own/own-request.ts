import { fieldOf } from '../check-trace.js';
import { witnessElement, witnessInteger, witnessRecord, witnessStrings } from '../witness-json.js';
import { WitnessError } from '../witness-error.js';
import type { OwnDefinition } from './definition.js';
import { ownRowsMin } from './own-air.js';
import {
  assertOwnInputs,
  columnSources,
  type NamedElements,
  type OwnHint,
  type OwnStatement,
  sentColumns,
  StatementError,
} from './own-trace.js';

/** A statement as JSON has it, beside its definition: the members of a request that speak of its trace. */
export interface OwnStatementJson {
  /** Public inputs by name. */
  readonly public?: unknown;
  /** Not needed where `trace` or `traceBytes` tells. */
  readonly rows?: unknown;
  /** Row 0 of the columns that follow from the row before, by name. */
  readonly start?: unknown;
  /** The columns that are given, in the definition's order, an array of elements each. */
  readonly trace?: unknown;
  /** The same as base64 of little-endian elements, column after column: 8 bytes each over Goldilocks, 4 over M31. */
  readonly traceBytes?: unknown;
  /** The given columns behind `rows`, by name. */
  readonly filler?: unknown;
  readonly hints?: unknown;
}

const ROWS_MAX = 2 ** 20;
const HINTS_MAX = 64;
const MEMBERS = ['public', 'rows', 'start', 'trace', 'traceBytes', 'filler', 'hints'] as const;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Reads a statement under a definition.
 * @throws WitnessError naming the member, by `trace.0.5`; StatementError for a member that is missing
 */
export function ownStatementFromJson(definition: OwnDefinition, json: OwnStatementJson): OwnStatement {
  witnessRecord(json, [], MEMBERS);
  const hints = json.hints === undefined ? [] : hintsFromJson(json.hints);
  const sent = sentColumns(definition, hints);
  const given = givenColumns(definition, sent, json);
  const rows = rowsFromJson(definition, json.rows, sent.length > 0 ? given[sent[0]]?.length : undefined);
  const named = (member: 'public' | 'start' | 'filler', names: readonly string[]) =>
    json[member] === undefined ? {} : { [member]: elementsByName(definition, json[member], member, names) };
  const { public: publicInputs, ...rest } = {
    ...named('public', definition.publicInputs),
    ...named('start', definition.columns),
    ...named('filler', sent),
  } as Partial<Record<'public' | 'start' | 'filler', NamedElements>>;
  const statement: OwnStatement = {
    rows,
    ...(publicInputs && { publicInputs }),
    ...rest,
    ...(sent.length > 0 && { given }),
    ...(hints.length > 0 && { hints }),
  };
  try {
    assertOwnInputs(definition, statement);
  } catch (error) {
    if (!(error instanceof StatementError)) throw error;
    const path = error.path.replace(/^publicInputs/, 'public').replace(/^given/, 'trace');
    throw new StatementError(error.code, path, error.reason);
  }
  return statement;
}

/** A statement as requests have it: what {@link ownStatementFromJson} reads. */
export function ownStatementToJson(definition: OwnDefinition, statement: OwnStatement): OwnStatementJson {
  const { rows, publicInputs, start, given = {}, filler, hints } = statement;
  const texts = (values: NamedElements) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
  const sent = sentColumns(definition, hints);
  return {
    rows,
    ...(publicInputs && { public: texts(publicInputs) }),
    ...(start && { start: texts(start) }),
    ...(sent.length > 0 && { trace: sent.map(name => Array.from(given[name], String)) }),
    ...(filler && { filler: texts(filler) }),
    ...(hints && { hints }),
  };
}

function rowsFromJson(definition: OwnDefinition, json: unknown, sentRows: number | undefined): number {
  const least = ownRowsMin(definition);
  if (json === undefined && sentRows === undefined)
    throw new WitnessError('malformed-witness', 'rows', 'is missing');
  const rows = witnessInteger(json ?? sentRows, json === undefined ? 'trace' : 'rows', least, ROWS_MAX);
  if (sentRows === undefined || rows === sentRows) return rows;
  throw new WitnessError(
    'malformed-trace',
    'trace',
    `must have ${rows} rows, as \`rows\` says, got ${sentRows}`,
    {
      max: rows,
      got: sentRows,
    },
  );
}

function givenColumns(
  definition: OwnDefinition,
  sent: readonly string[],
  { trace, traceBytes }: OwnStatementJson,
): Record<string, BigUint64Array> {
  const member = trace === undefined ? 'traceBytes' : 'trace';
  if (trace !== undefined && traceBytes !== undefined)
    throw new WitnessError('malformed-witness', 'traceBytes', 'and trace are given, one of the two is taken');
  const isGiven = trace !== undefined || traceBytes !== undefined;
  if (sent.length === 0) {
    if (!isGiven) return {};
    throw new WitnessError('malformed-trace', member, 'is not asked for: the constraints give every column', {
      max: 0,
    });
  }
  if (!isGiven) {
    const { given: chosen } = columnSources(definition);
    const asked = sent.map(name =>
      chosen.includes(definition.columns.indexOf(name)) ? name : `${name}, which a hint looks at`,
    );
    const reason = `is missing: it has the columns ${asked.join(', ')}`;
    throw new WitnessError('malformed-witness', 'trace', reason, { max: sent });
  }
  const columns =
    trace === undefined
      ? columnsOfBytes(definition, sent, traceBytes)
      : columnsOfJson(definition, sent, trace);
  return Object.fromEntries(sent.map((name, at) => [name, columns[at]]));
}

function columnsOfJson(definition: OwnDefinition, sent: readonly string[], json: unknown): BigUint64Array[] {
  const field = fieldOf(definition);
  if (!Array.isArray(json) || json.length !== sent.length)
    throw new WitnessError(
      'malformed-trace',
      'trace',
      `must be an array of ${sent.length} columns: ${sent.join(', ')}`,
      {
        max: sent.length,
        ...(Array.isArray(json) && { got: json.length }),
      },
    );
  const rows = Array.isArray(json[0]) ? json[0].length : 0;
  return json.map((column: unknown, at) => {
    if (!Array.isArray(column) || column.length !== rows || rows === 0)
      throw new WitnessError(
        'malformed-trace',
        `trace.${at}`,
        `must be an array of elements, as many as column 0 has`,
        {
          max: rows,
          ...(Array.isArray(column) && { got: column.length }),
        },
      );
    return BigUint64Array.from(column, (element, row) =>
      witnessElement(element, `trace.${at}.${row}`, field),
    );
  });
}

function columnsOfBytes(definition: OwnDefinition, sent: readonly string[], json: unknown): BigUint64Array[] {
  const field = fieldOf(definition);
  const { elementBytes, modulus } = field;
  const bytes =
    typeof json === 'string' && BASE64.test(json)
      ? Uint8Array.from(atob(json), c => c.charCodeAt(0))
      : undefined;
  const rowBytes = sent.length * elementBytes;
  if (!bytes || bytes.length === 0 || bytes.length % rowBytes !== 0)
    throw new WitnessError(
      'malformed-trace',
      'traceBytes',
      `must be base64 of ${sent.length} columns (${sent.join(', ')}) of elements of ${elementBytes} bytes`,
      { max: rowBytes, ...(bytes && { got: bytes.length }) },
    );
  const rows = bytes.length / rowBytes;
  const view = new DataView(bytes.buffer);
  const elementAt = (at: number) =>
    elementBytes === 8 ? view.getBigUint64(8 * at, true) : BigInt(view.getUint32(4 * at, true));
  return sent.map((_, column) =>
    BigUint64Array.from({ length: rows }, (_row, row) => {
      const value = elementAt(column * rows + row);
      if (value < modulus) return value;
      const place = `has at column ${sent[column]}, row ${row} no field element, below ${modulus}`;
      throw new WitnessError('malformed-element', 'traceBytes', place, { max: String(modulus - 1n) });
    }),
  );
}

function elementsByName(
  definition: OwnDefinition,
  json: unknown,
  path: string,
  names: readonly string[],
): NamedElements {
  const field = fieldOf(definition);
  const record = witnessRecord(json, [], names, path);
  const entries = Object.entries(record).map(([name, value]) => [
    name,
    witnessElement(value, `${path}.${name}`, field),
  ]);
  return Object.fromEntries(entries) as NamedElements;
}

function hintsFromJson(json: unknown): OwnHint[] {
  if (!Array.isArray(json) || json.length > HINTS_MAX)
    throw new WitnessError('malformed-witness', 'hints', `must be an array of at most ${HINTS_MAX} hints`, {
      max: HINTS_MAX,
      ...(Array.isArray(json) && { got: json.length }),
    });
  return json.map((each: unknown, i) => {
    const { bits, inverse } = witnessRecord(each, [], ['bits', 'inverse'], `hints.${i}`);
    if ((bits === undefined) === (inverse === undefined))
      throw new WitnessError('malformed-witness', `hints.${i}`, 'must have bits or inverse, one of the two');
    const path = `hints.${i}.${bits === undefined ? 'inverse' : 'bits'}`;
    const { of, into } = witnessRecord(bits ?? inverse, ['of', 'into'], [], path);
    const column = textOf(of, `${path}.of`);
    if (bits === undefined) return { inverse: { of: column, into: textOf(into, `${path}.into`) } };
    return { bits: { of: column, into: witnessStrings(into, `${path}.into`) } };
  });
}

function textOf(json: unknown, path: string): string {
  if (typeof json === 'string') return json;
  throw new WitnessError('malformed-witness', path, 'must be the name of a column', { max: 'string' });
}

import { readFile } from 'node:fs/promises';
import { UsageError } from './exit-code.js';
import type { Streams } from './terminal.js';

/** Longest input that is read, bytes: above every limit of the API. */
const INPUT_BYTES_MAX = 8 * 1_048_576;

/** A file that an option or operand names. @throws {UsageError} when it cannot be read */
export async function readOperandFile(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    const reasons: Record<string, string> = { ENOENT: 'there is no such file', EISDIR: 'it is a folder' };
    throw new UsageError(`${path} cannot be read: ${reasons[code] ?? code}`);
  }
}

async function readStdin(streams: Streams): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of streams.stdin) {
    const bytes = Buffer.from(chunk as Uint8Array | string);
    length += bytes.length;
    if (length > INPUT_BYTES_MAX) throw new UsageError(`stdin holds more than ${INPUT_BYTES_MAX} bytes`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/** A file, or stdin for `-`. @throws {UsageError} */
export function readFileOrStdin(path: string, streams: Streams): Promise<Buffer> {
  return path === '-' ? readStdin(streams) : readOperandFile(path);
}

/**
 * traceData of an operand: the text itself, or stdin for `-`. With `hex` it is hexadecimal, with or
 * without `0x`, whitespace ignored. Bytes of stdin count as they are, a final newline included.
 *
 * @throws {UsageError}
 */
export async function readTraceData(operand: string, hex: boolean, streams: Streams): Promise<string> {
  const bytes = operand === '-' ? await readStdin(streams) : Buffer.from(operand);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UsageError('stdin is not UTF-8 text; send binary as hexadecimal: xxd -p FILE | svc … - --hex');
  }
  if (!hex) return text;
  const digits = text.replace(/\s+/g, '').replace(/^0x/i, '');
  if (digits === '' || digits.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(digits))
    throw new UsageError('--hex needs an even number of hexadecimal digits');
  return `0x${digits}`;
}

/** A JSON object of an option: the text itself, or a file of it behind `@`, or stdin for `-`. @throws UsageError */
export async function readJsonInput(text: string, streams: Streams): Promise<Record<string, unknown>> {
  if (text !== '-' && !text.startsWith('@')) return readJsonObject(Buffer.from(text), '--input');
  const path = text.replace(/^@/, '');
  return readJsonObject(await readFileOrStdin(path, streams), path);
}

/** The JSON object that an operand holds. @throws UsageError */
export function readJsonObject(bytes: Uint8Array, path: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // The message below says what is expected.
  }
  throw new UsageError(`${path} is not a JSON object`);
}

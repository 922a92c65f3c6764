import { UnexpectedResponseError } from '../errors.js';
import { openClient } from './connection.js';
import { UsageError } from './exit-code.js';
import { readJsonObject, readOperandFile } from './operand.js';
import { textOption, type VerbContext } from './verb.js';

/**
 * Keys that the gateway publishes, from the file of `--keys`, or asked for. What uses a key checks it.
 * @throws UsageError for a file that has no list of keys, UnexpectedResponseError for such an answer
 */
export async function publishedKeys<Key>(
  context: VerbContext,
  address: `/.well-known/${string}`,
): Promise<Key[]> {
  const path = textOption(context.values, 'keys');
  if (path === undefined) return asked(context, address);
  const { keys } = readJsonObject(await readOperandFile(path), path);
  if (!Array.isArray(keys)) throw new UsageError(`${path} has no list of keys`);
  return keys as Key[];
}

async function asked<Key>(context: VerbContext, address: string): Promise<Key[]> {
  const client = await openClient(context, 'free');
  const { data, status } = await client.request('GET', address, { signal: context.signal });
  const { keys } = data;
  if (!Array.isArray(keys)) throw new UnexpectedResponseError(`${address} has no list of keys`, status);
  return keys as Key[];
}

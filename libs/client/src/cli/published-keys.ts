import { openClient } from './connection.js';
import { UsageError } from './exit-code.js';
import { readJsonObject, readOperandFile } from './operand.js';
import { textOption, type VerbContext } from './verb.js';

/**
 * Keys that the gateway publishes, from the file of `--keys`, or asked for. What uses a key checks it.
 * @throws UsageError for a document that has no list of keys
 */
export async function publishedKeys<Key>(
  context: VerbContext,
  address: `/.well-known/${string}`,
): Promise<Key[]> {
  const path = textOption(context.values, 'keys');
  const { keys } =
    path === undefined ? await asked(context, address) : readJsonObject(await readOperandFile(path), path);
  if (!Array.isArray(keys)) throw new UsageError('the published keys have no list of keys');
  return keys as Key[];
}

async function asked(context: VerbContext, address: string): Promise<Record<string, unknown>> {
  const client = await openClient(context, 'free');
  return (await client.request('GET', address, { signal: context.signal })).data;
}

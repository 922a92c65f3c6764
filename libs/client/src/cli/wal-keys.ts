import type { WalKey } from '@svc/durability';
import { ConnectionError } from '../errors.js';
import { UsageError } from './exit-code.js';
import { readJsonObject } from './operand.js';
import { publishedKeys } from './published-keys.js';
import { textOption, type VerbContext } from './verb.js';

/** The keys of checkpoints: of `--keys`, a file or an address, else as the gateway publishes them. */
export async function walKeys(context: VerbContext): Promise<WalKey[]> {
  const named = textOption(context.values, 'keys');
  if (named === undefined || !/^https?:\/\//.test(named))
    return publishedKeys<WalKey>(context, '/.well-known/svc-wal-keys.json');
  let bytes: ArrayBuffer;
  try {
    const response = await fetch(named, { signal: context.signal });
    if (!response.ok) throw new UsageError(`${named} answered with status ${response.status}`);
    bytes = await response.arrayBuffer();
  } catch (error) {
    if (error instanceof UsageError || context.signal.aborted) throw error;
    throw new ConnectionError('UNREACHABLE', `${named} cannot be reached`, { cause: error });
  }
  const { keys } = readJsonObject(new Uint8Array(bytes), named);
  if (!Array.isArray(keys)) throw new UsageError('the published keys have no list of keys');
  return keys as WalKey[];
}

import { connectionOptions, openClient } from './connection.js';
import { ExitCode, UsageError } from './exit-code.js';
import { columns } from './terminal.js';
import { textOption, type Verb, type VerbContext } from './verb.js';

const PACKS = ['pack_10', 'pack_50', 'pack_250'];

async function run(context: VerbContext): Promise<ExitCode> {
  const [packId] = context.positionals;
  if (!PACKS.includes(packId))
    throw new UsageError(`there is no ${packId.slice(0, 80)}; there are ${PACKS.join(', ')}`);
  const client = await openClient(context, 'free');
  const { data } = await client.request('POST' as string, '/prepay-credits', {
    body: { packId, customerEmail: textOption(context.values, 'email') },
    // One command is one purchase, however often its connection breaks.
    headers: { 'Idempotency-Key': textOption(context.values, 'idempotency-key') ?? crypto.randomUUID() },
    signal: context.signal,
    onStage: context.terminal.followCall('opening a checkout'),
  });
  context.terminal.endProgress();
  const topsUp = context.environment['SVC_KEY'] !== undefined;
  const { checkoutUrl, sessionId, credits } = data;
  context.terminal.result(
    data,
    columns([
      ['pay here', String(checkoutUrl)],
      ['buys', `${String(credits)} certificate audits, ${topsUp ? 'on the key of SVC_KEY' : 'on a new key'}`],
      ['session', String(sessionId)],
    ]),
  );
  return ExitCode.ok;
}

export const buyVerb: Verb = {
  name: 'buy',
  summary: 'open a checkout for a pack of credits',
  operands: 'PACK',
  positionalsMin: 1,
  positionalsMax: 1,
  options: {
    email: { type: 'string', placeholder: 'ADDRESS', help: 'where the receipt goes' },
    'idempotency-key': {
      type: 'string',
      placeholder: 'TEXT',
      help: 'the same for every retry of one purchase (default: a fresh one)',
    },
    ...connectionOptions,
  },
  notes: [
    `Packs: ${PACKS.join(', ')}. Open the address in a browser: whoever completes the checkout sees the key, once.`,
    'With SVC_KEY set the pack tops that key up.',
  ],
  run,
};

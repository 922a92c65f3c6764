import { type Call, listed, perform } from './api-command.js';
import { connectionOptions, DEFAULT_URL } from './connection.js';
import { type ExitCode, UsageError } from './exit-code.js';
import { importSales } from './import-sales.js';
import { readJsonObject, readOperandFile } from './operand.js';
import { followSpotFeed } from './spot-feed.js';
import { textOption, type OptionValues, type Verb, type VerbContext } from './verb.js';

interface Command {
  /** Operands, in their order. */
  readonly operands: readonly string[];
  readonly help: string;
  readonly call?: (operands: readonly string[], values: OptionValues) => Call | Promise<Call>;
  /** Of a command that is more than one call. */
  readonly run?: (context: VerbContext, operands: readonly string[]) => Promise<ExitCode>;
}

/** Options that are members of a query or a body by their own name, where they are given. */
const given = (values: OptionValues, ...names: string[]): Record<string, string | undefined> =>
  Object.fromEntries(names.map(name => [name, textOption(values, name)]));

const account = (accountId: string) => ({ parameters: { accountId } });

function microUsd(text: string): number {
  if (!/^\d{1,6}(\.\d{1,6})?$/.test(text))
    throw new UsageError(`the amount must be US dollars such as 10 or 0.50, got ${text.slice(0, 80)}`);
  const [whole, fraction = ''] = text.split('.');
  return Number(whole) * 1_000_000 + Number(fraction.padEnd(6, '0'));
}

function required(values: OptionValues, name: string): string {
  const value = textOption(values, name);
  if (value === undefined) throw new UsageError(`--${name} is missing`);
  return value;
}

function numberOption(values: OptionValues, name: string): number | undefined {
  const text = textOption(values, name);
  if (text === undefined || /^\d{1,9}(\.\d{1,9})?$/.test(text))
    return text === undefined ? text : Number(text);
  throw new UsageError(`--${name} must be a number such as 33.93, got ${text.slice(0, 80)}`);
}

/** The JSON object in the file that an option names. */
async function jsonOption(values: OptionValues, name: string): Promise<object | undefined> {
  const path = textOption(values, name);
  return path === undefined ? undefined : readJsonObject(await readOperandFile(path), path);
}

const COMMANDS: Readonly<Record<string, Command>> = {
  accounts: {
    operands: [],
    help: 'find accounts: --email, --plan, --kind',
    call: (_, values) => ({
      method: 'GET',
      path: '/v1/admin/accounts',
      query: given(values, 'email', 'plan', 'kind', 'limit', 'cursor'),
    }),
  },
  account: {
    operands: ['ACCOUNT'],
    help: 'one account with its keys',
    call: ([id]) => ({ method: 'GET', path: '/v1/admin/accounts/{accountId}', ...account(id) }),
  },
  'create-account': {
    operands: [],
    help: 'open an account: --email, --plan, --kind operator',
    call: (_, values) => ({
      method: 'POST',
      path: '/v1/admin/accounts',
      body: given(values, 'email', 'plan', 'kind'),
    }),
  },
  'set-plan': {
    operands: ['ACCOUNT', 'PLAN'],
    help: 'set a plan that no subscription pays for: --until',
    call: ([id, plan], values) => ({
      method: 'PUT',
      path: '/v1/admin/accounts/{accountId}/plan',
      ...account(id),
      body: { plan, ...given(values, 'until') },
    }),
  },
  grant: {
    operands: ['ACCOUNT', 'USD'],
    help: 'grant credit: --reason',
    call: ([id, usd], values) => ({
      method: 'POST',
      path: '/v1/admin/accounts/{accountId}/credit',
      ...account(id),
      body: { amountMicroUsd: microUsd(usd), reason: required(values, 'reason') },
      headers: { 'Idempotency-Key': textOption(values, 'idempotency-key') ?? crypto.randomUUID() },
    }),
  },
  refund: {
    operands: ['CLAIM'],
    help: 'give a payment back: --to origin or credit, --reason, --usd (all that is left)',
    call: ([claimId], values) => {
      const usd = textOption(values, 'usd');
      return {
        method: 'POST',
        path: '/v1/admin/refunds',
        body: {
          ...{ claimId, to: required(values, 'to'), reason: required(values, 'reason') },
          ...(usd === undefined ? {} : { microUsd: microUsd(usd) }),
        },
        headers: { 'Idempotency-Key': textOption(values, 'idempotency-key') ?? crypto.randomUUID() },
      };
    },
  },
  refunds: {
    operands: [],
    help: 'refunds: --claim, --state',
    call: (_, values) => ({
      method: 'GET',
      path: '/v1/admin/refunds',
      query: { ...given(values, 'state', 'limit', 'cursor'), claimId: textOption(values, 'claim') },
    }),
  },
  'issue-key': {
    operands: ['ACCOUNT'],
    help: 'issue a key, shown once: --label, --scopes a,b (operators alone)',
    call: ([id], values) => ({
      method: 'POST',
      path: '/v1/admin/accounts/{accountId}/keys',
      ...account(id),
      body: { ...given(values, 'label'), scopes: textOption(values, 'scopes')?.split(',') },
    }),
  },
  'revoke-key': {
    operands: ['ACCOUNT', 'KEY_ID'],
    help: 'end a key at once',
    call: ([accountId, keyId]) => ({
      method: 'DELETE',
      path: '/v1/admin/accounts/{accountId}/keys/{keyId}',
      parameters: { accountId, keyId },
    }),
  },
  licences: {
    operands: ['ACCOUNT', 'STATE'],
    help: 'active, suspended or revoked: all licences of an account',
    call: ([id, state]) => ({
      method: 'PUT',
      path: '/v1/admin/accounts/{accountId}/licences',
      ...account(id),
      body: { state },
    }),
  },
  leads: {
    operands: [],
    help: 'leads: --status, --source, --since, --q',
    call: (_, values) => ({
      method: 'GET',
      path: '/leads',
      query: given(values, 'status', 'source', 'since', 'q', 'limit', 'cursor'),
    }),
  },
  'set-lead': {
    operands: ['LEAD', 'STATUS'],
    help: 'new, contacted, won or lost',
    call: ([leadId, status]) => ({
      ...{ method: 'PATCH', path: '/leads/{leadId}', parameters: { leadId }, body: { status } },
    }),
  },
  'spot-prices': {
    operands: [],
    help: 'the prices in force: --metal',
    call: (_, values) => ({
      ...{ method: 'GET', path: '/v1/admin/spot-prices', query: given(values, 'metal') },
    }),
  },
  'set-spot-price': {
    operands: ['METAL', 'CURRENCY', 'PRICE'],
    help: 'price of a troy ounce of XAU, XAG, XPT or XPD: --source, --as-of (default now)',
    call: ([metal, currency, price], values) => ({
      method: 'POST',
      path: '/v1/admin/spot-prices',
      body: {
        ...{ metal, currency, price, source: required(values, 'source') },
        asOf: textOption(values, 'as-of') ?? new Date().toISOString(),
      },
    }),
  },
  'spot-feed': {
    operands: ['FILE or URL'],
    help: 'set the prices of a feed, JSON: --map FILE says how to read it, --every SECONDS goes on',
    run: (context, [from]) => followSpotFeed(context, from),
  },
  'import-sales': {
    operands: ['FILE'],
    help: 'sales of graded cards: CSV, JSON or JSON lines, or of a venue with --profile; - is stdin',
    run: (context, [path]) => importSales(context, path),
  },
  'sales-quarantine': {
    operands: [],
    help: 'rows of imports that were not taken',
    call: (_, values) => ({
      ...{ method: 'GET', path: '/v1/admin/card-sales/quarantine', query: given(values, 'limit', 'cursor') },
    }),
  },
  'resolve-sale': {
    operands: ['ROW', 'ACTION'],
    help: 'accept, as it is or as --sale FILE has it, or discard',
    call: async ([quarantineId, action], values) => ({
      method: 'POST',
      path: '/v1/admin/card-sales/quarantine/{quarantineId}',
      parameters: { quarantineId },
      body: { action, sale: await jsonOption(values, 'sale') },
    }),
  },
  'enrol-bullion': {
    operands: ['PRODUCT', 'WAV'],
    help: 'the ring of a genuine piece: --specimen; of a new product --name --of --fineness --mass-g --diameter-mm',
    call: async ([productId, wav], values) => ({
      method: 'POST',
      path: '/api/agent/bullion/enrol',
      body: {
        productId,
        recordingBase64: (await readOperandFile(wav)).toString('base64'),
        specimen: required(values, 'specimen'),
        name: textOption(values, 'name'),
        metal: textOption(values, 'of'),
        fineness: numberOption(values, 'fineness'),
        massG: numberOption(values, 'mass-g'),
        diameterMm: numberOption(values, 'diameter-mm'),
        thicknessMm: numberOption(values, 'thickness-mm'),
      },
    }),
  },
  'bullion-enrolments': {
    operands: ['PRODUCT'],
    help: 'what was heard of genuine pieces: --json > FILE makes a file of it',
    call: ([productId]) => ({
      ...{ method: 'GET', path: '/api/agent/bullion/enrolments', query: { productId } },
    }),
  },
  'import-enrolments': {
    operands: ['FILE'],
    help: 'take over such a file',
    call: async ([path]) => ({
      method: 'POST',
      path: '/api/agent/bullion/enrolments',
      body: readJsonObject(await readOperandFile(path), path),
    }),
  },
  reconcile: {
    operands: [],
    help: 'check the ledger against itself',
    call: () => ({ method: 'POST', path: '/v1/admin/reconcile' }),
  },
  sagas: {
    operands: [],
    help: 'sagas that are stuck: --state',
    call: (_, values) => ({
      ...{ method: 'GET', path: '/v1/admin/sagas', query: given(values, 'state', 'limit', 'cursor') },
    }),
  },
  saga: {
    operands: ['resume', 'SAGA'],
    help: 'try the compensations of a stuck saga anew',
    call: ([action, sagaId]) => {
      if (action !== 'resume')
        throw new UsageError(`svc admin saga knows resume, got ${action.slice(0, 80)}`);
      return { method: 'POST', path: '/v1/admin/sagas/{sagaId}/resume', parameters: { sagaId } };
    },
  },
  'reset-mesh': {
    operands: ['CONTENT'],
    help: 'begin the document of the mesh anew; keep or clear its content: --reason',
    call: ([content], values) => ({
      method: 'POST',
      path: '/v1/admin/mesh/document/reset',
      body: { content, reason: required(values, 'reason') },
    }),
  },
  audit: {
    operands: [],
    help: 'what operators did: --action',
    call: (_, values) => ({
      ...{ method: 'GET', path: '/v1/admin/audit', query: given(values, 'action', 'limit', 'cursor') },
    }),
  },
};

/** The key from a file: the key alone, or the secrets of `npm start`. */
async function adminKeyOf({ environment, values }: VerbContext): Promise<string> {
  const path = textOption(values, 'key-file') ?? environment['SVC_ADMIN_KEY_FILE'];
  if (path === undefined) {
    const key = environment['SVC_ADMIN_KEY'];
    if (key) return key;
    throw new UsageError('no admin key: set SVC_ADMIN_KEY, or give --key-file');
  }
  const text = (await readOperandFile(path)).toString('utf8').trim();
  if (!text.startsWith('{')) return text;
  try {
    const { adminKey } = JSON.parse(text) as { adminKey?: unknown };
    if (typeof adminKey === 'string') return adminKey;
  } catch {
    // The message below says what is expected.
  }
  throw new UsageError(
    `${path} holds no admin key: it must be the key alone, or a JSON object with adminKey`,
  );
}

async function run(context: VerbContext) {
  const [name, ...operands] = context.positionals;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command)
    throw new UsageError(`there is no svc admin ${name.slice(0, 80)}; there are ${listed(COMMANDS)}`);
  if (operands.length !== command.operands.length)
    throw new UsageError(`usage: svc admin ${[name, ...command.operands].join(' ')}`);
  const call = await command.call?.(operands, context.values);
  const { SVC_URL, SVC_ADMIN_URL } = context.environment;
  const environment = {
    ...context.environment,
    SVC_URL: SVC_ADMIN_URL ?? SVC_URL,
    SVC_KEY: await adminKeyOf(context),
  };
  const asAdmin = { ...context, environment };
  return call ? perform(asAdmin, call) : command.run!(asAdmin, operands);
}

const text = (placeholder: string, help: string) => ({ type: 'string', placeholder, help }) as const;

export const adminVerb: Verb = {
  name: 'admin',
  summary: 'keep accounts, keys, leads and prices, with an admin key',
  operands: 'COMMAND [OPERAND…]',
  positionalsMin: 1,
  positionalsMax: 4,
  options: {
    'key-file': text('FILE', 'the admin key (SVC_ADMIN_KEY_FILE; else SVC_ADMIN_KEY)'),
    email: text('ADDRESS', 'of an account'),
    plan: text('PLAN', 'demo, developer, pro_agent or enterprise'),
    kind: text('KIND', 'purchased, derived or operator'),
    until: text('TIME', 'when a plan ends, ISO 8601'),
    reason: text(
      'TEXT',
      'why credit is granted, a payment given back, or the document of the mesh begun anew',
    ),
    to: text('WAY', 'of a refund: origin or credit'),
    usd: text('USD', 'how much is refunded (default: all that is left)'),
    claim: text('CLAIM', 'refunds of one claim'),
    'idempotency-key': text('TEXT', 'the same for every retry of one grant or refund (default: a fresh one)'),
    label: text('TEXT', 'name of a key'),
    scopes: text('LIST', 'scopes of a key, with commas between'),
    status: text('STATUS', 'new, contacted, won or lost'),
    source: text('TEXT', 'of leads: checkout or purchase-link; of a price: who says so'),
    since: text('TIME', 'leads that came at or after it'),
    q: text('TEXT', 'leads whose address or account holds it'),
    metal: text('METAL', 'XAU, XAG, XPT or XPD'),
    sale: text('FILE', 'a quarantined row as corrected, a JSON object'),
    specimen: text('TEXT', 'which piece was recorded'),
    name: text('TEXT', 'of a product that the table has not'),
    of: text('METAL', 'of such a product: gold, silver, platinum or palladium'),
    fineness: text('PARTS', 'of such a product, parts of one: 0.9999'),
    'mass-g': text('GRAMS', 'of the piece that was recorded'),
    'diameter-mm': text('MM', 'of such a product'),
    'thickness-mm': text('MM', 'of such a product'),
    'as-of': text('TIME', 'when a price held'),
    map: text('FILE', 'how to read a feed of prices, or a file of sales, JSON'),
    profile: text(
      'NAME',
      'whose file of sales it is: ebay-orders, fanatics, ebay-pasted, fanatics-pasted, goldin-pasted, table',
    ),
    rates: text('FILE or URL', 'dated rates of sales in other currencies, JSON or CSV'),
    'sale-type': text('TYPE', 'of sales that do not say it: auction, fixed or best_offer'),
    left: text('FILE', 'where to write the records that are no sale yet, JSON'),
    'dry-run': { type: 'boolean', help: 'say what would become of the sales, and keep nothing' },
    every: text('SECONDS', 'read a feed of prices again and again'),
    action: text('NAME', 'records of one action'),
    state: text(
      'STATE',
      'of sagas: RUNNING, COMPENSATING, COMPLETED, COMPENSATED or STUCK (default); of refunds: unknown, …',
    ),
    limit: text('N', 'items of one page'),
    cursor: text('CURSOR', 'the next page, as the one before named it'),
    ...connectionOptions,
    url: text(
      'URL',
      `address of the operators’ listener (SVC_ADMIN_URL, else SVC_URL; default ${DEFAULT_URL})`,
    ),
  },
  notes: [
    'Commands:',
    ...Object.entries(COMMANDS).map(
      ([name, { operands, help }]) => `  ${[name, ...operands].join(' ').padEnd(38)} ${help}`,
    ),
    '',
    'In production the public address has none of /v1/admin: give the one of OPERATOR_PORT. It answers every command here.',
    'Every command is recorded. Example, with the sandbox that npm start runs:',
    '  svc admin grant ACCOUNT 10 --reason "an apology" --key-file .data/secrets.json',
  ],
  run,
};

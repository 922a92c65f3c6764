/**
 * The lines of a history, version 1: what was asked and answered, what each rail saw, and how the books stood at the end. JSON, one
 * object a line, in the order in which things were seen. Amounts are whole micro-USD, times milliseconds since 1970; bodies, keys and
 * tokens stand as digests alone.
 *
 * - `begin`: the first. `name` of the suite.
 * - `ask`: a request. `payment` names what pays it, however its header was spelled: `lightning:HASH`, `card:DIGEST`,
 *   `chain:PAYER:NONCE`, or `key:ID` of an account's key; `idempotency` is the digest of its Idempotency-Key.
 * - `answer`: to the ask of that id. `receipt` is the reference of its success receipt; `charged` and `retry` are those of the problem;
 *   `uncharged` is a 200 that says so of itself, whose payment became credit. `price` is that of the route, where the answer offers it.
 * - `lost`: the ask of that id has no answer; whether it was served is not known.
 * - `grant`: an operator gave an account credit.
 * - `money`: a rail took an amount for a payment (`in`), or gave it back (`back`).
 * - `claim`: what the books say of a payment. `receipt` is the reference of its receipt; `charged` what its rail took.
 * - `entry`: a leg of a transaction of the ledger. `account` is `rail/card`, `rail/chain`, `rail/lightning`, `held`, `sold`, `given`
 *   or `customer/ID`; a customer's gain is positive, and what a rail brought in is negative.
 * - `account`: of a customer, at the end. `used` counts the requests of its plan.
 * - `shown`: what the service says of its account to the holder of a key, at the end.
 * - `end`: the last. `lines` counts those before it, so that a history that was cut off is none.
 */
const TEXT = 'text';
const AMOUNT = 'amount';
const COUNT = 'count';
const TEXTS = 'texts';
const optional = kind => ({ kind, isOptional: true });
const oneOf = (...values) => ({ values });

/** Members of each kind of line beside `kind` and `at`. */
const MEMBERS = {
  begin: { version: COUNT, name: TEXT },
  ask: { id: COUNT, route: TEXT, body: TEXT, payment: optional(TEXT), idempotency: optional(TEXT) },
  answer: {
    ...{ id: COUNT, status: COUNT, body: TEXT, receipt: optional(TEXT), code: optional(TEXT) },
    charged: { ...oneOf('no', 'yes', 'unknown'), isOptional: true },
    retry: { ...oneOf('same', 'changed', 'pay', 'no'), isOptional: true },
    ...{ uncharged: { ...oneOf(true), isOptional: true }, price: optional(AMOUNT) },
  },
  lost: { id: COUNT, why: TEXT },
  grant: { account: TEXT, amount: AMOUNT },
  money: {
    ...{ rail: oneOf('card', 'chain', 'lightning'), what: oneOf('in', 'back') },
    ...{ reference: TEXT, amount: AMOUNT, payment: optional(TEXT) },
  },
  claim: {
    ...{ id: TEXT, payment: TEXT, operation: TEXT, idempotency: optional(TEXT), receipt: TEXT },
    state: oneOf('claimed', 'settled', 'credited', 'delivered', 'unknown', 'void'),
    settlement: oneOf('none', 'pending', 'settled', 'unknown', 'void'),
    funding: oneOf('rail', 'credit', 'quota'),
    ...{ amount: AMOUNT, charged: optional(AMOUNT) },
  },
  entry: { transaction: TEXT, account: TEXT, amount: AMOUNT, claim: optional(TEXT) },
  account: { id: TEXT, keys: TEXTS, balance: AMOUNT, used: COUNT },
  shown: { key: TEXT, balance: AMOUNT, used: COUNT },
  end: { lines: COUNT },
};

/**
 * @typedef {{ kind: string; at: number; number: number } & Record<string, any>} Line with its number in the file, from 1
 * @typedef {{ rule: string; why: string; lines: number[] }} Finding the lines that offend, or that should be matched by another
 */

/** Where an entry may lie. */
const PLACES = /^(rail\/(card|chain|lightning)|held|sold|given|customer\/.+)$/;
const PAYMENTS = /^(lightning|card|chain|key|account):.+$/;

/**
 * Reads a history, and says of each line that is none what is wrong with it.
 *
 * @param {string} text
 * @returns {{ lines: Line[]; findings: Finding[] }} findings of the rule `history/lines`
 */
export function readLines(text) {
  const findings = [];
  const lines = [];
  const rows = text.split('\n');
  if (rows.at(-1) === '') rows.pop();
  rows.forEach((row, index) => {
    const number = index + 1;
    const line = parsed(row);
    const why = line ? faultOf(line) : 'it is no JSON object';
    if (why) findings.push({ rule: 'history/lines', why: `line ${number}: ${why}`, lines: [number] });
    else lines.push({ ...line, number });
  });
  return { lines, findings: [...findings, ...frameFaults(lines, rows.length)] };
}

function parsed(row) {
  try {
    const value = JSON.parse(row);
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What is wrong with a line by itself. */
function faultOf(line) {
  const members = Object.hasOwn(MEMBERS, line.kind) ? MEMBERS[line.kind] : undefined;
  if (!members) return `there is no kind ${JSON.stringify(line.kind)}`;
  if (!Number.isSafeInteger(line.at)) return 'at is no time';
  for (const [name, member] of Object.entries(members)) {
    if (line[name] === undefined && member.isOptional) continue;
    if (!holds(line[name], member)) return `${name} is ${JSON.stringify(line[name])}`;
  }
  const unknown = Object.keys(line).find(name => !['kind', 'at'].includes(name) && !(name in members));
  if (unknown) return `it has a member ${unknown}`;
  if (line.kind === 'entry' && !PLACES.test(line.account)) return `there is no place ${line.account}`;
  if (line.payment !== undefined && !PAYMENTS.test(line.payment)) return `${line.payment} is no payment`;
  if (line.kind === 'begin' && line.version !== 1) return `version ${line.version} is not known`;
  return undefined;
}

function holds(value, member) {
  if (member.values) return member.values.includes(value);
  switch (member.kind ?? member) {
    case TEXT:
      return typeof value === 'string' && value !== '';
    case TEXTS:
      return Array.isArray(value) && value.every(each => typeof each === 'string');
    case COUNT:
      return Number.isSafeInteger(value) && value >= 0;
    default:
      return Number.isSafeInteger(value);
  }
}

/** Whether it is whole: it begins, ends, and every ask has one end. */
function frameFaults(lines, rowCount) {
  const findings = [];
  const fault = (why, ...numbers) => findings.push({ rule: 'history/lines', why, lines: numbers });
  const [first, last] = [lines[0], lines.at(-1)];
  if (first?.kind !== 'begin' || first.number !== 1) fault('it does not begin');
  if (last?.kind !== 'end' || last.number !== rowCount) fault('it does not end');
  else if (last.lines !== rowCount - 1)
    fault(`${last.lines} lines were written, and there are ${rowCount - 1}`, last.number);
  for (const kind of ['ask', 'claim', 'account']) {
    const seen = new Map();
    for (const line of lines.filter(each => each.kind === kind)) {
      if (seen.has(line.id)) fault(`two lines are the ${kind} ${line.id}`, seen.get(line.id), line.number);
      seen.set(line.id, line.number);
    }
  }
  const open = new Map(lines.filter(({ kind }) => kind === 'ask').map(({ id, number }) => [id, number]));
  for (const { kind, id, number } of lines) {
    if (kind !== 'answer' && kind !== 'lost') continue;
    if (!open.has(id) || open.get(id) > number) fault(`nothing waits for an answer as ${id}`, number);
    open.delete(id);
  }
  for (const [id, number] of open) fault(`what became of the ask ${id} is not said`, number);
  return findings;
}

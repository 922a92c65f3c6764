import type { ActiveInferenceRequest, FieldFault } from '@svc/contracts';
import {
  ACTIONS_MAX,
  LOG_PREFERENCE_MAX,
  OBSERVATIONS_MAX,
  POLICIES_MAX,
  POLICY_LENGTH_MAX,
  PRECISION_MAX,
  READINGS_MAX,
  STATES_MAX,
} from '@svc/inference';
import { RefusedInput } from '../compute/input-problem.js';
import { readPackedJson, type ShapeKind, type TextBounds } from '../compute/packed-json.js';
import { FAULTS_MAX, kindOf, refusalOf, requireMembers } from '../compute/request-faults.js';

/** Numbers of A and B together. */
const ENTRIES_MAX = 196_608;
const GOT_CHARS_MAX = 80;

const TEXT: TextBounds = {
  name: 'model',
  textBytesMax: 8_388_608,
  shapeMax: { containers: 65_536, values: 262_144, members: 10_000 },
  tooMany,
};

interface NumberRule {
  readonly min: number;
  readonly max: number;
  readonly isInteger?: boolean;
}
/** A list that is not empty. */
interface ListRule {
  readonly of: Rule;
  readonly itemsMax: number;
}
type Rule = NumberRule | ListRule;

const PROBABILITY: NumberRule = { min: 0, max: 1 };
const DISTRIBUTION: ListRule = { of: PROBABILITY, itemsMax: STATES_MAX };
const MATRIX: ListRule = { of: DISTRIBUTION, itemsMax: STATES_MAX };
const PREFERENCE: NumberRule = { min: -LOG_PREFERENCE_MAX, max: LOG_PREFERENCE_MAX };
const PRECISION: NumberRule = { min: 0, max: PRECISION_MAX };

/** Members of a request, by name. */
const RULES: Readonly<Record<string, Rule>> = {
  A: { of: DISTRIBUTION, itemsMax: OBSERVATIONS_MAX },
  B: { of: MATRIX, itemsMax: ACTIONS_MAX },
  C: { of: PREFERENCE, itemsMax: OBSERVATIONS_MAX },
  D: DISTRIBUTION,
  E: { of: PROBABILITY, itemsMax: POLICIES_MAX },
  observations: { of: { min: 0, max: OBSERVATIONS_MAX - 1, isInteger: true }, itemsMax: READINGS_MAX },
  policyLength: { min: 1, max: POLICY_LENGTH_MAX, isInteger: true },
  gamma: PRECISION,
  alpha: PRECISION,
};
/** What members that may be absent are then. */
const DEFAULTS = { E: undefined, policyLength: 1, gamma: 16, alpha: 16 } as const;

/**
 * Reads a request for one cycle of active inference, with the limits of `ActiveInferenceRequest`, and fills in its defaults.
 * Whether its shapes fit and its columns sum to 1 is for the engine to say.
 *
 * @param packed the text, deflated without a header (RFC 1951)
 * @throws RefusedInput MALFORMED_JSON, BODY_TOO_LARGE, VALIDATION_FAILED naming each fault, 32 at most
 */
export function readInferenceRequest(packed: Uint8Array): ActiveInferenceRequest {
  const request = requireMembers(readPackedJson(packed, TEXT));
  refuseEntries(request);
  const faults: FieldFault[] = [];
  for (const [name, rule] of Object.entries(RULES)) {
    if (request[name] === undefined && name in DEFAULTS) continue;
    check(name, request[name], rule, faults);
  }
  for (const name of Object.keys(request)) {
    if (faults.length >= FAULTS_MAX) break;
    if (!Object.hasOwn(RULES, name)) {
      faults.push({
        path: name.slice(0, GOT_CHARS_MAX),
        message: 'unknown field',
        got: shown(request[name]),
      });
    }
  }
  if (faults.length > 0) throw refusalOf(faults);
  const { E: _absent, ...defaults } = DEFAULTS;
  return { ...defaults, ...(request as unknown as ActiveInferenceRequest) };
}

/** Refuses a model of too many numbers before each of them is looked at. */
function refuseEntries({ A, B }: Readonly<Record<string, unknown>>): void {
  if (entriesOf([A, B], ENTRIES_MAX) <= ENTRIES_MAX) return;
  const message = 'A and B together hold too many numbers';
  throw refusalOf([{ path: 'B', message, bound: ENTRIES_MAX, got: shown(B) }]);
}

/** Numbers in nested lists, counted no further than one beyond `max`. */
function entriesOf(value: unknown, max: number): number {
  if (!Array.isArray(value)) return 1;
  let entries = 0;
  for (const each of value) {
    entries += entriesOf(each, max - entries);
    if (entries > max) break;
  }
  return entries;
}

function check(path: string, value: unknown, rule: Rule, faults: FieldFault[]): void {
  const fault = 'of' in rule ? listFault(value, rule) : numberFault(value, rule);
  if (fault) {
    const got = shown(value);
    faults.push({ path, ...fault, ...(got === undefined ? {} : { got }) });
  } else if ('of' in rule) {
    const items = value as readonly unknown[];
    for (let at = 0; at < items.length && faults.length < FAULTS_MAX; at++) {
      // Paths of the many numbers that are right are not made.
      if (!('of' in rule.of) && !numberFault(items[at], rule.of)) continue;
      check(`${path}[${at}]`, items[at], rule.of, faults);
    }
  }
}

type Fault = Pick<FieldFault, 'message' | 'bound'>;

function listFault(value: unknown, { itemsMax }: ListRule): Fault | undefined {
  if (!Array.isArray(value)) return typeFault('array', value);
  if (value.length === 0) return { message: 'Too small: expected array to have >=1 items', bound: 1 };
  if (value.length <= itemsMax) return undefined;
  return { message: `Too big: expected array to have <=${itemsMax} items`, bound: itemsMax };
}

function numberFault(value: unknown, { min, max, isInteger }: NumberRule): Fault | undefined {
  if (typeof value !== 'number') return typeFault('number', value);
  if (!Number.isFinite(value)) {
    return { message: 'is a number that no double holds', bound: Number.MAX_VALUE };
  }
  if (isInteger && !Number.isInteger(value)) return typeFault('int', value);
  if (value < min) return { message: `Too small: expected number to be >=${min}`, bound: min };
  return value > max ? { message: `Too big: expected number to be <=${max}`, bound: max } : undefined;
}

const typeFault = (expected: string, value: unknown): Fault => ({
  message: `Invalid input: expected ${expected}, received ${kindOf(value)}`,
  bound: expected,
});

/** A value short enough to be repeated; undefined where there is none. */
function shown(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'string') return value.slice(0, GOT_CHARS_MAX);
  if (Array.isArray(value)) return `array of ${value.length}`;
  return typeof value === 'object' && value !== null ? 'object' : value;
}

/** Beyond what the edge takes of any body that it reads itself. */
function tooMany(kind: ShapeKind): RefusedInput {
  const bound = TEXT.shapeMax[kind];
  const what = kind === 'containers' ? 'arrays and objects' : kind;
  return new RefusedInput({
    code: 'BODY_TOO_LARGE',
    detail: `The body holds more than ${bound} ${what}`,
    errors: [{ path: '', message: `holds too many ${what}`, bound }],
  });
}

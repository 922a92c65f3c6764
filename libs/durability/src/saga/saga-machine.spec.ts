import fc from 'fast-check';
import type { WalEntry, WalRecord } from '../wal/wal-record.js';
import { appendRecords } from '../wal/wal-codec.js';
import { idemKey } from './idem-key.js';
import { hasEnded, nextAction, resumeAction, type SagaAction } from './saga-action.js';
import type { SagaDefinition, SagaStep } from './saga-definition.js';
import { SagaLog, type LogEntry } from './saga-log.js';
import { follow, positionOf, type SagaPosition } from './saga-machine.js';
import { walGrammar } from './wal-grammar.js';

const SAGA_ID = '00000000-0000-4000-8000-000000000001';
const nothing = async () => ({ logged: {} });

/** A log that a saga writes, made by doing what the machine says, with chance for what comes of it. */
interface Way {
  readonly remote: readonly boolean[];
  readonly chances: readonly number[];
}

const ways: fc.Arbitrary<Way> = fc.record({
  remote: fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
  chances: fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 0, maxLength: 24 }),
});

function definitionOf(remote: readonly boolean[]): SagaDefinition<unknown> {
  const steps = remote.map((isRemote, index): SagaStep<unknown> => {
    const name = `step${index}`;
    return isRemote
      ? { name, kind: 'remote', run: nothing, undo: nothing, ask: async () => undefined }
      : { name, kind: 'local', run: nothing, undo: nothing };
  });
  return { name: 'any', version: 1, steps };
}

function beginOf({ name, version, steps }: SagaDefinition<unknown>): WalEntry {
  const payload = { name, version, steps: steps.map(step => step.name), inputDigest: '0'.repeat(64) };
  return { kind: 'SAGA_BEGIN', step: null, attempt: 0, idemKey: null, payload };
}

/** What is recorded for an action; `chance` decides how it came out: 0, 1 and 2 well. */
function entriesOf(position: SagaPosition, action: SagaAction, chance: number): LogEntry[] {
  const stuck = (step: string | null): LogEntry => ({
    kind: 'SAGA_STUCK',
    payload: { step, times: position.stuckTimes + 1 },
  });
  switch (action.do) {
    case 'intend':
      return [{ kind: 'STEP_INTENT', step: action.step, attempt: action.attempt }];
    case 'run': {
      const { step, attempt } = action;
      if (chance <= 2) return [{ kind: 'STEP_COMMIT', step, attempt }];
      if (chance === 3) return [{ kind: 'STEP_INTENT', step, attempt: attempt + 1 }];
      const mayHaveEffect = position.remote[step] && chance === 5;
      return [{ kind: 'STEP_FAIL', step, attempt, payload: { code: 'X', mayHaveEffect } }];
    }
    case 'intendUndo':
      return [{ kind: 'COMP_INTENT', step: action.step, attempt: action.attempt }];
    case 'undo': {
      const { step, attempt } = action;
      if (chance <= 2) return [{ kind: 'COMP_COMMIT', step, attempt }];
      if (chance === 3) return [{ kind: 'COMP_INTENT', step, attempt: attempt + 1 }];
      return [stuck(position.steps[step])];
    }
    case 'complete':
      return [{ kind: 'SAGA_COMMIT', payload: {} }];
    case 'abort':
      return [chance === 5 ? stuck(null) : { kind: 'SAGA_ABORTED', payload: {} }];
    default:
      return [];
  }
}

/** Does what is to be done until nothing is; chances that are not given are good ones. */
function goOn(log: SagaLog<unknown>, chances: readonly number[]): SagaLog<unknown> {
  let now = log;
  for (let turn = 0; turn < 100; turn += 1) {
    const action = resumeAction(now.position);
    if (action.do === 'nothing') return now;
    now = now.place(entriesOf(now.position, action, chances[turn] ?? 0), 1, turn).log;
  }
  throw new Error('it runs for ever');
}

function logOf({ remote, chances }: Way): SagaLog<unknown> {
  const definition = definitionOf(remote);
  const begun = appendRecords(undefined, [beginOf(definition)], { sagaId: SAGA_ID, fence: 1, nowMs: 0 });
  return goOn(SagaLog.of(definition, begun), chances);
}

const accepts = (records: readonly WalRecord[]) => !('reason' in positionOf(records));

it('every log that a saga can write is accepted, and so is every beginning of one', () => {
  fc.assert(
    fc.property(ways, way => {
      const { records } = logOf(way);
      for (let length = 1; length <= records.length; length += 1)
        expect(walGrammar(records.slice(0, length))).toEqual({
          valid: true,
          ended: length === records.length,
        });
    }),
    { numRuns: 300 },
  );
});

it('every log from which a record is missing, before the last, is refused', () => {
  fc.assert(
    fc.property(ways, fc.nat(), (way, choice) => {
      const { records } = logOf(way);
      const at = choice % (records.length - 1);
      expect(accepts(records.filter((_, index) => index !== at))).toBe(false);
    }),
    { numRuns: 1000 },
  );
});

it('every log in which two records are exchanged, or one comes twice, is refused', () => {
  fc.assert(
    fc.property(ways, fc.nat(), fc.nat(), (way, first, second) => {
      const { records } = logOf(way);
      const [a, b] = [first % records.length, second % records.length];
      const exchanged = [...records];
      [exchanged[a], exchanged[b]] = [records[b], records[a]];
      if (a !== b) expect(accepts(exchanged)).toBe(false);
      const twice = [...records.slice(0, b), records[a], ...records.slice(b)];
      if (b !== 0) expect(accepts(twice)).toBe(false);
    }),
    { numRuns: 1000 },
  );
});

it('whatever of a record is changed that the machine looks at, it is refused', () => {
  const changes: ((record: WalRecord) => Partial<WalRecord>)[] = [
    record => ({ attempt: record.attempt + 1 }),
    record => ({ step: record.step === null ? 'step0' : `${record.step}x` }),
    record => ({ idemKey: record.idemKey === null ? 'f'.repeat(64) : null }),
    record => ({ idemKey: record.idemKey && idemKey(SAGA_ID, String(record.step), other(record)) }),
    record => ({ payload: { ...record.payload, resumed: 7 } }),
    () => ({ sagaId: '00000000-0000-4000-8000-000000000002' }),
  ];
  const other = ({ kind }: WalRecord) => (kind.startsWith('COMP') ? 'forward' : 'reverse');
  fc.assert(
    fc.property(ways, fc.nat(), fc.constantFrom(...changes), (way, choice, change) => {
      const { records } = logOf(way);
      // The kind of a step is what its first intent says it is, so that one alone is believed.
      const at = 1 + (choice % (records.length - 1));
      const changed = { ...records[at], ...change(records[at]) };
      if (JSON.stringify(changed) === JSON.stringify(records[at])) return;
      const log = [...records.slice(0, at), changed, ...records.slice(at + 1)];
      expect(accepts(log)).toBe(false);
    }),
    { numRuns: 1000 },
  );
});

it('after any beginning of any log there is one thing to do, and good chances lead to the one end', () => {
  fc.assert(
    fc.property(ways, fc.nat(), (way, choice) => {
      const whole = logOf(way);
      const prefix = whole.records.slice(0, 1 + (choice % whole.records.length));
      const log = SagaLog.of(definitionOf(way.remote), prefix);
      expect(nextAction(log.position).do === 'nothing').toBe(hasEnded(log.position));
      expect(nextAction(log.position).do === 'wait').toBe(log.position.state === 'STUCK');
      const ended = goOn(log, []);
      const ends = ended.records.filter(({ kind }) => kind === 'SAGA_COMMIT' || kind === 'SAGA_ABORTED');
      expect(ends).toEqual([ended.last]);
      const failed = prefix.some(({ kind }) => kind === 'STEP_FAIL');
      expect(ended.position.state).toBe(failed ? 'COMPENSATED' : 'COMPLETED');
    }),
    { numRuns: 500 },
  );
});

it('what is taken back is what committed, and what may have an effect, the last first', () => {
  fc.assert(
    fc.property(ways, way => {
      const { records, position } = logOf(way);
      const of = (kind: string) => records.filter(record => record.kind === kind).map(({ step }) => step);
      const failed = records.find(({ kind }) => kind === 'STEP_FAIL');
      const expected = of('STEP_COMMIT');
      if (failed?.payload['mayHaveEffect']) expected.push(failed.step);
      expect(of('COMP_COMMIT')).toEqual(position.state === 'COMPENSATED' ? expected.reverse() : []);
    }),
    // Among them the longest: four steps, of which the last may have had its effect when it failed.
    { numRuns: 300, examples: [[{ remote: [true, true, true, true], chances: [0, 0, 0, 0, 0, 0, 0, 5] }]] },
  );
});

it('no record follows an end', () => {
  fc.assert(
    fc.property(ways, fc.nat(), (way, choice) => {
      const { records, position } = logOf(way);
      expect(typeof follow(position, records[choice % records.length])).toBe('string');
    }),
  );
});

it.each([
  ['nothing', []],
  ['a first record that is no SAGA_BEGIN', [{ ...beginOf(definitionOf([true])), kind: 'SAGA_COMMIT' }]],
  ['no steps', [beginOf(definitionOf([]))]],
  [
    'a step twice',
    [
      {
        ...beginOf(definitionOf([true])),
        payload: { ...beginOf(definitionOf([true])).payload, steps: ['a', 'a'] },
      },
    ],
  ],
  [
    'no digest of the input',
    [{ ...beginOf(definitionOf([true])), payload: { name: 'any', version: 1, steps: ['a'] } }],
  ],
])('a log of %s is refused', (_, entries) => {
  expect(positionOf(entries.map(entry => ({ ...(entry as WalEntry), sagaId: SAGA_ID })))).toHaveProperty(
    'reason',
  );
});

it('the key of an effect is that of its saga, step and direction alone', () => {
  expect(idemKey(SAGA_ID, 'prove', 'forward')).toBe(idemKey(SAGA_ID, 'prove', 'forward'));
  const keys = [
    idemKey(SAGA_ID, 'prove', 'forward'),
    idemKey(SAGA_ID, 'prove', 'reverse'),
    idemKey(SAGA_ID, 'prov', 'eforward' as 'forward'),
    idemKey('00000000-0000-4000-8000-000000000002', 'prove', 'forward'),
  ];
  expect(new Set(keys).size).toBe(keys.length);
  for (const key of keys) expect(key).toMatch(/^[0-9a-f]{64}$/);
});

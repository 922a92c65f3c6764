import { jest } from '@jest/globals';
import type { WalRecord } from '../wal/wal-record.js';
import { idemKey } from './idem-key.js';
import { inputDigest } from './input-digest.js';
import { StepFailed, type SagaDefinition, type StepContext } from './saga-definition.js';
import { SagaRunner, type SagaRunnerOptions } from './saga-runner.js';
import type { StoredSaga } from './saga-store.js';
import { MemorySagaStore, type MemoryTx } from './simulation/memory-saga-store.js';
import { walGrammar } from './wal-grammar.js';

const OPTIONS: SagaRunnerOptions = { owner: 'a', backoff: { firstMs: 1, maxMs: 4 }, heartbeatMs: 50 };
const storeOf = (leaseMs = 10_000, now: () => number = Date.now) => new MemorySagaStore({ now, leaseMs });
const begin = async () => ({ input: { tier: 'mesh' }, logged: { tool: 'x' }, kept: { input: 'private' } });
const line = ({ kind, step, attempt }: WalRecord) => (step ? `${kind} ${step} ${attempt}` : kind);
const lines = (saga: StoredSaga) => saga.records.map(line);

const add = (tx: MemoryTx, by: number) => tx.put('sum', ((tx.get('sum') as number | undefined) ?? 0) + by);

/** Three steps, the middle one remote; each leaves a trace, and takes it back. */
function definitionOf(changes: Partial<SagaDefinition<MemoryTx>> = {}, remote = receiver()) {
  const definition: SagaDefinition<MemoryTx> = {
    name: 'sample',
    version: 1,
    steps: [
      {
        name: 'reserve',
        kind: 'local',
        run: async (tx, { begun }) => (add(tx, 1), { logged: { seen: begun['tool'] ?? null } }),
        undo: async tx => (add(tx, -1), { logged: {} }),
      },
      { name: 'prove', kind: 'remote', run: remote.run, ask: remote.ask, undo: remote.undo },
      {
        name: 'settle',
        kind: 'local',
        run: async (tx, { committed }) => (
          add(tx, 10),
          { logged: { proof: committed['prove']['proof'] }, kept: { answer: 42 } }
        ),
        undo: async tx => (add(tx, -10), { logged: {} }),
      },
    ],
    committed: async () => ({ amount: 7 }),
    aborted: async (_tx, { failure }) => ({ step: failure?.step ?? null }),
    ...changes,
  };
  return { definition, remote };
}

function receiver() {
  const calls: string[] = [];
  const outcome = { logged: { proof: 'p1' } };
  return {
    calls,
    run: jest.fn(async (context: StepContext) => (calls.push(`run ${context.attempt}`), outcome)),
    ask: jest.fn(
      async (context: StepContext): Promise<typeof outcome | undefined> => (
        calls.push(`ask ${context.attempt}`),
        undefined
      ),
    ),
    undo: jest.fn(
      async (context: StepContext) => (calls.push(`undo ${context.forwardIdemKey}`), { logged: {} }),
    ),
  };
}

/** Resolves once a step of a receiver has been asked for. */
async function called({ mock }: ReturnType<typeof receiver>['run']): Promise<void> {
  while (mock.calls.length === 0) await new Promise(resolve => setImmediate(resolve));
}

async function through(definition: SagaDefinition<MemoryTx>, options = OPTIONS, store = storeOf()) {
  const runner = new SagaRunner(store, options);
  runner.register(definition);
  const { ended } = await runner.start(definition, begin);
  const saga = await ended;
  await runner.stop();
  return { saga, store };
}

const failing = (code: string, mayHaveEffect = false) =>
  jest.fn(async () => Promise.reject(new StepFailed(code, 'told to', mayHaveEffect, { errors: [1] })));

describe('a saga that succeeds', () => {
  it('has two records at first, two for each step, and one end', async () => {
    const { saga, store } = await through(definitionOf().definition);
    expect(saga.state).toBe('COMPLETED');
    expect(lines(saga)).toEqual([
      'SAGA_BEGIN',
      'STEP_INTENT reserve 1',
      'STEP_COMMIT reserve 1',
      'STEP_INTENT prove 1',
      'STEP_COMMIT prove 1',
      'STEP_INTENT settle 1',
      'STEP_COMMIT settle 1',
      'SAGA_COMMIT',
    ]);
    expect(store.table.get('sum')).toBe(11);
    expect(await store.load(saga.sagaId)).toEqual(saga);
    expect(walGrammar(saga.records)).toEqual({ valid: true, ended: true });
  });

  it('logs the salted digest of its input and nothing of what it keeps', async () => {
    const { saga } = await through(definitionOf().definition);
    const salt = saga.kept['inputSalt'] as string;
    expect(salt).toMatch(/^[0-9a-f]{32}$/);
    expect(saga.records[0].payload).toEqual({
      tool: 'x',
      name: 'sample',
      version: 1,
      steps: ['reserve', 'prove', 'settle'],
      inputDigest: inputDigest(salt, { tier: 'mesh' }),
    });
    expect(inputDigest('00'.repeat(16), { tier: 'mesh' })).not.toBe(saga.records[0].payload['inputDigest']);
    expect(saga.kept).toMatchObject({ input: 'private', answer: 42 });
    expect(saga.records.at(-1)?.payload).toEqual({ amount: 7 });
  });

  it('gives the key of a remote effect to its step, and to its records alone', async () => {
    const { definition, remote } = definitionOf();
    const { saga } = await through(definition);
    const key = idemKey(saga.sagaId, 'prove', 'forward');
    expect(remote.run.mock.calls[0][0]).toMatchObject({ idemKey: key, forwardIdemKey: key, attempt: 1 });
    expect(saga.records.filter(record => record.idemKey).map(record => record.step)).toEqual([
      'prove',
      'prove',
    ]);
    expect(saga.records.find(record => record.idemKey)?.idemKey).toBe(key);
  });

  it('is not begun where its beginning throws', async () => {
    const { definition } = definitionOf();
    const store = storeOf();
    const runner = new SagaRunner(store, OPTIONS);
    runner.register(definition);
    const refused = runner.start(definition, async tx => {
      add(tx, 5);
      throw new RangeError('403');
    });
    await expect(refused).rejects.toThrow('403');
    expect(store.sagas).toEqual([]);
    expect(store.table.get('sum')).toBeUndefined();
  });
});

describe('a saga that fails', () => {
  it('takes back in reverse what committed, and says why', async () => {
    const { definition, remote } = definitionOf();
    const steps = definition.steps.map(step =>
      step.name === 'settle' ? { ...step, run: failing('NO_FUNDS') } : step,
    ) as SagaDefinition<MemoryTx>['steps'];
    const { saga, store } = await through({ ...definition, steps });
    expect(saga.state).toBe('COMPENSATED');
    expect(lines(saga).slice(5)).toEqual([
      'STEP_INTENT settle 1',
      'STEP_FAIL settle 1',
      'COMP_INTENT prove 1',
      'COMP_COMMIT prove 1',
      'COMP_INTENT reserve 1',
      'COMP_COMMIT reserve 1',
      'SAGA_ABORTED',
    ]);
    expect(saga.records.at(-1)?.payload).toEqual({ reason: 'NO_FUNDS', step: 'settle' });
    expect(saga.kept).toMatchObject({
      failure: { step: 'settle', code: 'NO_FUNDS', message: 'told to' },
      errors: [1],
    });
    expect(remote.calls.at(-1)).toBe(`undo ${idemKey(saga.sagaId, 'prove', 'forward')}`);
    expect(store.table.get('sum')).toBe(0);
  });

  it('has nothing to take back where the first step fails', async () => {
    const { definition } = definitionOf();
    const [first, ...rest] = definition.steps;
    const steps = [{ ...first, run: failing('STALE') }, ...rest] as SagaDefinition<MemoryTx>['steps'];
    const { saga } = await through({ ...definition, steps });
    expect(lines(saga).slice(2)).toEqual(['STEP_FAIL reserve 1', 'SAGA_ABORTED']);
    expect(saga.records.at(-1)?.payload).toEqual({ reason: 'STALE', step: 'reserve' });
  });

  it('asks before it runs a remote step again, and takes what the receiver has', async () => {
    const { definition, remote } = definitionOf();
    remote.run.mockRejectedValueOnce(new Error('no reply'));
    remote.ask.mockResolvedValueOnce({ logged: { proof: 'p0' } });
    const { saga } = await through(definition);
    expect(remote.run).toHaveBeenCalledTimes(1);
    expect(
      saga.records.find(record => record.kind === 'STEP_COMMIT' && record.step === 'prove'),
    ).toMatchObject({
      attempt: 1,
      payload: { proof: 'p0' },
    });
  });

  it('gives a step up after its last try, and compensates what may have come of it', async () => {
    const { definition, remote } = definitionOf({ runAttemptsMax: 2 });
    remote.run.mockRejectedValue(new Error('no reply'));
    const { saga } = await through(definition);
    expect(lines(saga).slice(3)).toEqual([
      'STEP_INTENT prove 1',
      'STEP_INTENT prove 2',
      'STEP_FAIL prove 2',
      'COMP_INTENT prove 1',
      'COMP_COMMIT prove 1',
      'COMP_INTENT reserve 1',
      'COMP_COMMIT reserve 1',
      'SAGA_ABORTED',
    ]);
    expect(remote.ask).toHaveBeenCalledTimes(2);
    expect(saga.records.at(-1)?.payload['reason']).toBe('STEP_ATTEMPTS_EXHAUSTED');
  });

  it('does not run a step again of which it could not learn what became', async () => {
    const { definition, remote } = definitionOf({ runAttemptsMax: 3 });
    remote.run.mockRejectedValue(new Error('no reply'));
    remote.ask.mockRejectedValue(new Error('no reply either'));
    const { saga } = await through(definition);
    expect(remote.run).toHaveBeenCalledTimes(1);
    expect(saga.state).toBe('COMPENSATED');
  });

  it('takes a compensation that never comes back for one that failed', async () => {
    const { definition, remote } = definitionOf({ tryMsMax: 5 });
    remote.run.mockRejectedValueOnce(new StepFailed('PARTIAL', 'half of it', true));
    remote.undo.mockImplementationOnce(() => new Promise(() => undefined));
    const { saga } = await through(definition);
    expect(saga.state).toBe('COMPENSATED');
    expect(lines(saga)).toContain('COMP_COMMIT prove 2');
  });

  it('compensates a step that was refused after a try of unknown outcome', async () => {
    const { definition, remote } = definitionOf();
    remote.run
      .mockRejectedValueOnce(new Error('no reply'))
      .mockRejectedValueOnce(new StepFailed('REFUSED', 'no', false));
    const { saga } = await through(definition);
    expect(lines(saga)).toContain('COMP_COMMIT prove 1');
  });

  it('does not wait for a step that never comes back, and asks about it', async () => {
    const { definition, remote } = definitionOf({ tryMsMax: 5 });
    let signal: AbortSignal | undefined;
    remote.run.mockImplementationOnce(context => {
      ({ signal } = context);
      return new Promise(() => undefined);
    });
    remote.ask.mockResolvedValueOnce({ logged: { proof: 'p0' } });
    const { saga } = await through(definition);
    expect(saga.state).toBe('COMPLETED');
    expect(signal?.aborted).toBe(true);
  });

  it('is stuck after its last compensation, and ends when it is resumed', async () => {
    const { definition, remote } = definitionOf({ undoAttemptsMax: 2 });
    const steps = definition.steps.map(step =>
      step.name === 'settle' ? { ...step, run: failing('NO_FUNDS') } : step,
    ) as SagaDefinition<MemoryTx>['steps'];
    const store = storeOf();
    const onStuck = jest.fn();
    const runner = new SagaRunner(store, { ...OPTIONS, onStuck });
    const broken = { ...definition, steps };
    runner.register(broken);
    remote.undo.mockRejectedValue(new Error('away'));
    const { sagaId, ended } = await runner.start(broken, begin);
    const stuck = await ended;
    expect(stuck.state).toBe('STUCK');
    expect(lines(stuck).slice(-3)).toEqual(['COMP_INTENT prove 1', 'COMP_INTENT prove 2', 'SAGA_STUCK']);
    expect(onStuck).toHaveBeenCalledWith(stuck);
    expect(await runner.recover(10)).toBe(0);

    remote.undo.mockResolvedValue({ logged: {} });
    const resumed = await runner.resumeStuck(sagaId);
    const saga = await resumed?.ended;
    expect(saga && lines(saga).slice(-5)).toEqual(
      [
        'SAGA_STUCK',
        'COMP_INTENT prove 3',
        'COMP_COMMIT prove 3',
        'COMP_INTENT reserve 1',
        'COMP_COMMIT reserve 1',
        'SAGA_ABORTED',
      ].slice(-5),
    );
    expect(saga?.state).toBe('COMPENSATED');
    expect(await runner.resumeStuck(sagaId)).toBeUndefined();
    await runner.stop();
  });
});

describe('owners', () => {
  it('give their sagas up when they stop, and another one goes on with them', async () => {
    const { definition, remote } = definitionOf();
    const store = storeOf();
    const [first, second] = ['a', 'b'].map(owner => new SagaRunner(store, { ...OPTIONS, owner }));
    first.register(definition);
    second.register(definition);
    remote.run.mockImplementationOnce(() => new Promise(() => undefined));
    const { sagaId, ended } = await first.start(definition, begin);
    const outcome = ended.catch((error: { code: string }) => error.code);
    await called(remote.run);
    expect(await second.recover(10)).toBe(0);
    await first.stop();
    expect(await outcome).toBe('RUNNER_STOPPED');
    await expect(first.start(definition, begin)).rejects.toMatchObject({ code: 'RUNNER_STOPPED' });

    expect(await second.recover(10)).toBe(1);
    await second.idle();
    const saga = await store.load(sagaId);
    expect(saga).toMatchObject({ state: 'COMPLETED', fence: 2 });
    expect(remote.calls).toEqual(['ask 1', 'run 2']);
    expect(walGrammar(saga?.records ?? [])).toEqual({ valid: true, ended: true });
  });

  it('who lost a saga write nothing more, and see its end', async () => {
    const { definition, remote } = definitionOf();
    let nowMs = 0;
    const store = storeOf(20, () => nowMs);
    const first = new SagaRunner(store, { ...OPTIONS, heartbeatMs: 60_000 });
    const second = new SagaRunner(store, { ...OPTIONS, owner: 'b' });
    first.register(definition);
    second.register(definition);
    let finish: (outcome: { logged: { proof: string } }) => void = () => undefined;
    remote.run.mockImplementationOnce(() => new Promise(resolve => (finish = resolve)));
    const { ended } = await first.start(definition, begin);
    await called(remote.run);
    nowMs += 20;
    expect(await second.recover(10)).toBe(1);
    await second.idle();
    finish({ logged: { proof: 'late' } });
    const saga = await ended;
    expect(saga).toMatchObject({ state: 'COMPLETED', fence: 2 });
    expect(saga.records.find(r => r.kind === 'STEP_COMMIT' && r.step === 'prove')?.payload).toEqual({
      proof: 'p1',
    });
    await Promise.all([first.stop(), second.stop()]);
  });

  it('keep a lease that is shorter than a step, by their heartbeat', async () => {
    const { definition, remote } = definitionOf();
    const store = storeOf(60);
    const second = new SagaRunner(store, { ...OPTIONS, owner: 'b' });
    second.register(definition);
    const renew = jest.spyOn(store, 'renew');
    let finish: (outcome: { logged: { proof: string } }) => void = () => undefined;
    remote.run.mockImplementationOnce(() => new Promise(resolve => (finish = resolve)));
    const first = new SagaRunner(store, { ...OPTIONS, heartbeatMs: 5 });
    first.register(definition);
    const { ended } = await first.start(definition, begin);
    while (renew.mock.calls.length < 20) await new Promise(resolve => setTimeout(resolve, 5));
    finish({ logged: { proof: 'p1' } });
    expect(await ended).toMatchObject({ state: 'COMPLETED', fence: 1 });
    await Promise.all([first.stop(), second.stop()]);
  });

  it('leave sagas alone whose definition they do not have, or whose steps are others', async () => {
    const { definition } = definitionOf();
    const store = storeOf();
    const first = new SagaRunner(store, OPTIONS);
    first.register(definition);
    const { sagaId } = await first.start(definition, begin).then(async saga => {
      await first.stop();
      await saga.ended.catch(() => undefined);
      return saga;
    });
    const before = await store.load(sagaId);
    const onLeftAlone = jest.fn();
    const newer = new SagaRunner(store, { ...OPTIONS, onLeftAlone });
    newer.register({ ...definition, version: 2 });
    expect(await newer.recover(10)).toBe(0);
    const changed = new SagaRunner(store, { ...OPTIONS, onLeftAlone });
    changed.register({ ...definition, steps: definition.steps.slice(1) });
    expect(await changed.recover(10)).toBe(1);
    await changed.idle();
    expect(onLeftAlone).toHaveBeenCalledTimes(1);
    expect(onLeftAlone.mock.calls[0][1]).toContain('steps');
    expect((await store.load(sagaId))?.records).toEqual(before?.records);
  });

  it('take no more sagas than they may carry at a time', async () => {
    const { definition, remote } = definitionOf();
    const store = storeOf();
    const first = new SagaRunner(store, OPTIONS);
    first.register(definition);
    remote.run.mockImplementation(() => new Promise(() => undefined));
    for (let n = 0; n < 5; n += 1) {
      const { ended } = await first.start(definition, begin);
      ended.catch(() => undefined);
    }
    await first.stop();
    remote.ask.mockImplementation(() => new Promise(() => undefined));
    const second = new SagaRunner(store, { ...OPTIONS, recoverMax: 3 });
    second.register(definition);
    const rounds = await Promise.all([second.recover(2), second.recover(2), second.recover(2)]);
    expect(rounds).toEqual([2, 1, 0]);
    expect(await second.recover(10)).toBe(0);
    await second.stop();
  });
});

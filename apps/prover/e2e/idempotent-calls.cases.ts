import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { API_VERSION, createLogger, MemoryBus, type ServiceEnvironment } from '@svc/platform';
import { HANGS_MS } from '@svc/platform/testing';
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { IdempotentCallStore } from '../src/execution/idempotent-call-store.js';
import { type CallReply, IdempotentCalls } from '../src/execution/idempotent-calls.js';
import { CallGoneError, ProofStore } from '../src/proofs/proof-store.js';
import { type ProverOnBus, startProverOnBus } from './prover-on-bus.js';

const keyOf = (name: string) => createHash('sha256').update(name).digest('hex');
const SECRET = 'a-secret-of-the-tests-of-32-characters';

/** A reply that tells calls apart. */
type Numbered = CallReply & { n: number };

const replies = (n: number) => (): Promise<Numbered> => Promise.resolve({ n });

/** Work that ends when it is told to. */
function held<Reply>() {
  let resolve!: (reply: Reply) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<Reply>((take, refuse) => ([resolve, reject] = [take, refuse]));
  let runs = 0;
  let signal: AbortSignal | undefined;
  return {
    resolve,
    reject,
    runs: () => runs,
    signal: () => signal!,
    work: (given: AbortSignal) => {
      runs++;
      signal = given;
      return promise;
    },
  };
}

export function describeIdempotentCalls(): void {
  describe('a call that runs once for its key', () => {
    let prover: ProverOnBus;
    let database: DataSource;
    let store: IdempotentCallStore;
    let proofs: ProofStore;
    let here: IdempotentCalls;
    let elsewhere: IdempotentCalls;
    const replica = (seeds = SECRET) => {
      const environment: ServiceEnvironment = {
        service: 'prover',
        version: API_VERSION,
        bus: { kind: 'memory', bus: new MemoryBus() },
        production: false,
        secrets: { AUDIT_SIGNING_SEEDS: seeds },
        logger: createLogger('prover', { level: 'silent' }),
      };
      return new IdempotentCalls(store, proofs, environment);
    };
    beforeAll(async () => {
      prover = await startProverOnBus();
      ({ database } = prover);
      store = new IdempotentCallStore(database);
      proofs = new ProofStore(database);
      [here, elsewhere] = [replica(), replica()];
    });
    afterAll(async () => {
      for (const calls of [here, elsewhere]) calls.onApplicationShutdown();
      await prover?.close();
    });

    const callOf = (name: string, request: unknown = name) => ({
      ...{ idemKey: keyOf(name), kind: 'execution' as const, request },
    });
    const keptProof = () =>
      proofs.keep({ airId: 'a/v1', publicInputs: {}, contextDomain: '', proof: new Uint8Array([1]) });
    const isKept = async (proofId: string) => {
      const rows: unknown[] = await database.query('SELECT 1 FROM proof WHERE proof_id = $1', [proofId]);
      return rows.length === 1;
    };
    const begun = async (name: string) => {
      const deadlineMs = Date.now() + HANGS_MS;
      while ((await here.outcome(keyOf(name), 'execution')).state !== 'running') {
        if (Date.now() > deadlineMs) throw new Error(`the call "${name}" is not recorded as running`);
        await delay(5);
      }
    };
    const lapse = (name: string) =>
      database.query(
        `UPDATE idempotent_call SET lease_until = now() - interval '1 s' WHERE idem_key = decode($1, 'hex')`,
        [keyOf(name)],
      );
    const REVOKED = { payload: { code: 'CONFLICT', extensions: { state: 'revoked' } } };
    const RUNNING = { payload: { code: 'CONFLICT', retryAfterSeconds: 1, extensions: { state: 'running' } } };

    it('is joined where it runs, and elsewhere the caller is told to come again', async () => {
      const work = held<Numbered>();
      const first = here.run(callOf('joined'), work.work);
      await begun('joined');
      const second = here.run(callOf('joined'), work.work);
      await expect(elsewhere.run(callOf('joined'), work.work)).rejects.toMatchObject(RUNNING);
      await expect(here.run(callOf('joined', 'other'), work.work)).rejects.toMatchObject({
        code: 'UNPROCESSABLE',
      });
      work.resolve({ n: 1 });
      expect([await first, await second]).toEqual([{ n: 1 }, { n: 1 }]);
      expect(await elsewhere.run(callOf('joined'), work.work)).toEqual({ n: 1 });
      expect(work.runs()).toBe(1);
    });

    it.each(['the same replica', 'another replica'])(
      'ends when it is revoked at %s while it runs, and what it brings late is dropped',
      async where => {
        const name = `revoked at ${where}`;
        const work = held<{ proofId: string }>();
        const running = here.run(callOf(name), work.work);
        const refused = expect(running).rejects.toMatchObject(REVOKED);
        await begun(name);
        const revoking = where === 'the same replica' ? here : elsewhere;
        expect(await revoking.revoke(keyOf(name), 'execution')).toEqual({ was: 'running' });
        while (!work.signal().aborted) await delay(10);
        const proofId = await keptProof();
        work.resolve({ proofId });
        await refused;
        expect(await isKept(proofId)).toBe(false);
        expect(await here.outcome(keyOf(name), 'execution')).toEqual({ state: 'revoked' });
        await expect(elsewhere.run(callOf(name), work.work)).rejects.toMatchObject(REVOKED);
        expect(work.runs()).toBe(1);
      },
    );

    it('keeps its key for as long as it runs, however long', async () => {
      const work = held<Numbered>();
      const running = here.run(callOf('long'), work.work);
      await begun('long');
      await lapse('long');
      // The owner is heard of again within a beat.
      await begun('long');
      await expect(elsewhere.run(callOf('long'), work.work)).rejects.toMatchObject(RUNNING);
      work.resolve({ n: 2 });
      expect(await running).toEqual({ n: 2 });
    });

    it('is taken over from a process that is not heard of, whose late result is dropped', async () => {
      const idemKey = keyOf('forsaken');
      const call = callOf('forsaken');
      const stuck = held<{ proofId: string }>();
      const silent = replica();
      const late = silent.run(call, stuck.work);
      const dropped = expect(late).rejects.toMatchObject(RUNNING);
      await begun('forsaken');
      // It says no more that it is there, as a process that is stopped.
      silent.onApplicationShutdown();
      await lapse('forsaken');
      expect(await here.outcome(idemKey, 'execution')).toEqual({ state: 'unknown' });
      await expect(here.run(callOf('forsaken', 'other'), stuck.work)).rejects.toMatchObject({
        code: 'UNPROCESSABLE',
      });
      const fresh = held<{ proofId: string }>();
      const taken = here.run(call, fresh.work);
      await begun('forsaken');
      const lateProof = await keptProof();
      stuck.resolve({ proofId: lateProof });
      await dropped;
      expect(await isKept(lateProof)).toBe(false);
      const proofId = await keptProof();
      fresh.resolve({ proofId });
      expect(await taken).toEqual({ proofId });
      expect(await elsewhere.run(call, fresh.work)).toEqual({ proofId });
      expect([stuck.runs(), fresh.runs(), await isKept(proofId)]).toEqual([1, 1, true]);
    });

    describe('and whose process dies after it kept its proof, before that was recorded,', () => {
      const proofFor = (name: string) =>
        proofs.keep({
          ...{ airId: 'a/v1', publicInputs: {}, contextDomain: '', proof: new Uint8Array([1]) },
          idemKey: keyOf(name),
        });
      const die = async (name: string) => {
        const work = held<Numbered>();
        const silent = replica();
        void silent.run(callOf(name), work.work).catch(() => undefined);
        await begun(name);
        silent.onApplicationShutdown();
        const proofId = await proofFor(name);
        await lapse(name);
        return proofId;
      };

      it('leaves none that stands once the call is taken back', async () => {
        const proofId = await die('orphaned');
        await here.revoke(keyOf('orphaned'), 'execution');
        expect(await proofs.fetch(proofId)).toMatchObject({ revokedAt: expect.any(String) });
        await expect(proofFor('orphaned')).rejects.toThrow(CallGoneError);
      });

      it('leaves none beside that of the run that came after it', async () => {
        const orphan = await die('run twice');
        const fresh = await here.run(callOf('run twice'), async () => ({
          proofId: await proofFor('run twice'),
        }));
        expect([await isKept(orphan), await isKept(fresh.proofId)]).toEqual([false, true]);
        await expect(proofFor('run twice')).rejects.toThrow(CallGoneError);
      });

      it('is told so where it comes to keep its proof too late', async () => {
        const late = here.run(callOf('too late'), async () => {
          await elsewhere.revoke(keyOf('too late'), 'execution');
          return { proofId: await proofFor('too late') };
        });
        await expect(late).rejects.toMatchObject(REVOKED);
      });
    });

    it('leaves its key free when it fails', async () => {
      const broken = held<Numbered>();
      const failing = here.run(callOf('failed'), broken.work);
      failing.catch(() => undefined);
      await begun('failed');
      const finding = jest.spyOn(store, 'find');
      const failures = Promise.allSettled([failing, here.run(callOf('failed'), broken.work)]);
      while (finding.mock.results.length === 0) await delay(1);
      await finding.mock.results[0].value;
      finding.mockRestore();
      broken.reject(new Error('the engine broke'));
      expect((await failures).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      expect(broken.runs()).toBe(1);
      expect(await here.outcome(keyOf('failed'), 'execution')).toEqual({ state: 'unknown' });
      expect(await elsewhere.run(callOf('failed'), replies(3))).toEqual({ n: 3 });
    });

    it('is the same call after its secret was rotated, and after a secret that went it cannot be read', async () => {
      const rotated = replica(`another-secret-of-the-tests-of-32-chars,${SECRET}`);
      const unrelated = replica('another-secret-of-the-tests-of-32-chars');
      expect(await here.run(callOf('sealed'), replies(4))).toEqual({ n: 4 });
      expect(await rotated.run(callOf('sealed'), () => Promise.reject(new Error('ran')))).toEqual({ n: 4 });
      await expect(unrelated.outcome(keyOf('sealed'), 'execution')).rejects.toThrow('cannot be opened');
      // A reply is sealed for its own key.
      await here.run(callOf('sealed too'), replies(5));
      await database.query(
        `UPDATE idempotent_call SET reply = other.reply FROM idempotent_call AS other
        WHERE idempotent_call.idem_key = decode($1, 'hex') AND other.idem_key = decode($2, 'hex')`,
        [keyOf('sealed'), keyOf('sealed too')],
      );
      await expect(here.outcome(keyOf('sealed'), 'execution')).rejects.toThrow('cannot be opened');
    });

    it('is acquired by exactly one of many, and is revoked by exactly one', async () => {
      const keys = Array.from({ length: 10 }, (_, i) => keyOf(`raced ${i}`));
      for (const idemKey of keys) {
        const [digest] = [createHash('sha256').update(idemKey).digest()];
        const acquired = await Promise.all(
          Array.from({ length: 5 }, () => store.acquire(idemKey, 'tool', [digest], randomUUID())),
        );
        expect(acquired.filter(Boolean)).toHaveLength(1);
        const revoked = await Promise.all(Array.from({ length: 5 }, () => store.revoke(idemKey, 'tool')));
        expect(revoked.sort()).toEqual(['revoked', 'revoked', 'revoked', 'revoked', 'running']);
      }
    });

    it('is forgotten after 30 days, unless it still runs', async () => {
      const work = held<Numbered>();
      const running = here.run(callOf('old and running'), work.work);
      await begun('old and running');
      await here.run(callOf('old'), replies(6));
      await here.revoke(keyOf('old tombstone'), 'execution');
      await database.query(`UPDATE idempotent_call SET changed_at = now() - interval '29 days'`);
      expect(await store.purgeExpired()).toBe(0);
      await here.run(callOf('new'), replies(7));
      await database.query(
        `UPDATE idempotent_call SET changed_at = changed_at - interval '2 days' WHERE changed_at < now() - interval '1 day'`,
      );
      expect(await store.purgeExpired()).toBeGreaterThan(2);
      const states = await Promise.all(
        ['old', 'old tombstone', 'old and running', 'new'].map(name =>
          here.outcome(keyOf(name), 'execution'),
        ),
      );
      expect(states.map(({ state }) => state)).toEqual(['unknown', 'unknown', 'running', 'done']);
      work.resolve({ n: 8 });
      expect(await running).toEqual({ n: 8 });
    });
  });
}

import { CountingField, type Ext, goldilocks } from '@svc/kernels';
import {
  type Air,
  cubic8Air,
  fibonacciAir,
  findAir,
  hashChainAir,
  hashChainPublicInputs,
  WitnessError,
} from '@svc/stark-air';
import { BLOWUP_FACTORS, type ProofParameters, type Verdict, verify } from '@svc/stark-verifier';
import { laxPolicy } from '@svc/stark-verifier/testing';
import { cheatingBackend, replaceStages } from '../testing/cheating-backend.js';
import { FaultyField } from '../testing/faulty-field.js';
import type { ProverBackend, ProverSession } from './backend.js';
import { fieldOperations } from './field-ops.js';
import { prove, PROVER_STAGES, type ProveResult } from './prove.js';
import { proveHashChain } from './prove-hash-chain.js';
import { referenceProverBackend } from './reference-backend.js';

const fibonacci = fibonacciAir as Air;
const hashChain = hashChainAir as Air;
const IS_LONG = process.env.SUITE_TIER === 'long';
const ONES = { first: 1n, second: 1n };
const EIGHT = { input: [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n] };
const HELLO = { traceData: '0x48656c6c6f' };

const parameters = (change: Partial<ProofParameters> = {}): ProofParameters => ({
  profile: 'gl3',
  traceLength: 64,
  blowupFactor: 2,
  queryCount: 4,
  grindingBits: 2,
  zeroKnowledge: false,
  ...change,
});

function verifyResult(air: Air, result: ProveResult<unknown>, contextDomain = ''): Verdict {
  const claim = {
    proof: result.proof,
    airId: result.airId,
    publicInputs: JSON.parse(JSON.stringify(air.publicInputsToJson(result.publicInputs))) as unknown,
    contextDomain,
  };
  return verify(claim, laxPolicy(result.parameters));
}

describe('honest proofs', () => {
  it.each(
    BLOWUP_FACTORS.flatMap(blowupFactor => [
      [blowupFactor, fibonacci.id, ONES],
      ...(IS_LONG || blowupFactor <= 8 ? [[blowupFactor, hashChain.id, HELLO]] : []),
      ...(IS_LONG || blowupFactor <= 8 ? [[blowupFactor, cubic8Air.id, EIGHT]] : []),
    ]) as [number, string, unknown][],
  )('verify at blowup %i for %s', async (blowupFactor, airId, witness) => {
    const air = findAir(airId) as Air;
    const result = await prove({ air, witness, parameters: parameters({ blowupFactor }) });
    expect(verifyResult(air, result)).toMatchObject({
      valid: true,
      airId: air.id,
      blowupFactor,
      traceLength: 64,
    });
  });

  it.each(IS_LONG ? [64, 128, 256, 512, 1024, 2048, 4096] : [64, 128, 512, 1024])(
    'verify at %i rows',
    async traceLength => {
      const result = await prove({ air: fibonacci, witness: ONES, parameters: parameters({ traceLength }) });
      expect(verifyResult(fibonacci, result)).toMatchObject({ valid: true, traceLength });
    },
  );

  it.each([fibonacci, hashChain, cubic8Air as Air])('verify over the quadratic extension', async air => {
    const witness = air === fibonacci ? ONES : air === hashChain ? HELLO : EIGHT;
    const result = await prove({ air, witness, parameters: parameters({ profile: 'gl2' }) });
    expect(verifyResult(air, result)).toMatchObject({ valid: true, profile: 'gl2', airId: air.id });
  });

  it('verify for an input that fills the whole chain', async () => {
    const traceData = 'x'.repeat(56);
    const result = await prove({ air: hashChainAir, witness: { traceData }, parameters: parameters() });
    expect(result.publicInputs).toEqual(hashChainPublicInputs(traceData, 64));
    expect(verifyResult(hashChain, result).valid).toBe(true);
  });

  it('carry the size of their FRI section and the root of their trace', async () => {
    const result = await prove({ air: hashChain, witness: HELLO, parameters: parameters() });
    const commitments = 2 * 16 * 32;
    const outOfDomain = 24 * (2 * 25 + 2);
    expect(result.proof.length).toBe(20 + commitments + outOfDomain + result.friBytes);
    const verdict = verifyResult(hashChain, result);
    expect(verdict.valid && `0x${Buffer.from(verdict.traceRoot).toString('hex')}`).toBe(
      result.starkRootCommitment,
    );
  });
});

describe('field operations, and the proofs that they make,', () => {
  const masked = { traceLength: 2048, zeroKnowledge: true };
  it.each([
    [fibonacci.id, ONES, {}],
    [fibonacci.id, ONES, { traceLength: 512, blowupFactor: 8 }],
    [fibonacci.id, ONES, { profile: 'gl2' }],
    [fibonacci.id, ONES, { profile: 'gl2', traceLength: 4096 }],
    [hashChain.id, HELLO, { blowupFactor: 4 }],
    [hashChain.id, { traceData: 'x'.repeat(56) }, { profile: 'gl2' }],
    [cubic8Air.id, EIGHT, { blowupFactor: 16 }],
    // The evaluation domain is smaller than what constraints of degree 3 need under zero knowledge, as large, and larger.
    [cubic8Air.id, EIGHT, { ...masked, profile: 'gl2', blowupFactor: 2 }],
    [cubic8Air.id, EIGHT, { ...masked, blowupFactor: 4 }],
    [fibonacci.id, ONES, { ...masked, profile: 'gl2', blowupFactor: 8, queryCount: 7 }],
    ...(IS_LONG
      ? [
          [hashChain.id, HELLO, { traceLength: 256 }],
          [fibonacci.id, ONES, { ...masked, blowupFactor: 2, queryCount: 7 }],
          [cubic8Air.id, EIGHT, { ...masked, blowupFactor: 2 }],
          [cubic8Air.id, EIGHT, { ...masked, profile: 'gl2', blowupFactor: 4 }],
        ]
      : []),
  ] as [string, unknown, Partial<ProofParameters>][])(
    'follow the closed formula and verify for %s with %p under %p',
    async (airId, witness, change) => {
      const air = findAir(airId) as Air;
      const field = new CountingField();
      const result = await prove({
        air,
        witness,
        parameters: parameters(change),
        backend: referenceProverBackend(field),
      });
      const counted = { additions: field.additions, multiplications: field.multiplications };
      expect(fieldOperations(air, result.publicInputs, result.parameters)).toEqual(counted);
      expect(result.fieldOps).toBe(counted.additions + counted.multiplications);
      expect(verifyResult(air, result)).toMatchObject({ ...parameters(change), valid: true });
    },
  );
});

describe('a prover that makes one arithmetic mistake', () => {
  // 172 queries open all 16 cosets of this domain, so no wrong value can hide between them.
  const everyCoset = parameters({ queryCount: 172 });

  async function withFault(air: Air, witness: unknown, faultyCall: number) {
    const backend = referenceProverBackend(new FaultyField(goldilocks, faultyCall));
    return prove({ air, witness, parameters: everyCoset, backend });
  }

  it.each([
    [fibonacci, ONES, IS_LONG ? 120 : 40],
    [hashChain, HELLO, IS_LONG ? 60 : 15],
  ] as [Air, unknown, number][])(
    'is rejected, wherever the mistake is, for %p',
    async (air, witness, samples) => {
      const honest = await prove({ air, witness, parameters: everyCoset });
      const operations = honest.fieldOps;
      let accepted = 0;
      for (let i = 0; i < samples; i++) {
        const faultyCall = Math.floor(((i + 0.5) / samples) * operations * 0.8);
        const result = await withFault(air, witness, faultyCall);
        const verdict = verifyResult(air, result);
        // A mistake that no value depends on (a power of a challenge beyond the last) leaves the proof as it was.
        const unchanged = Buffer.compare(result.proof, honest.proof) === 0;
        expect(verdict.valid).toBe(unchanged);
        if (verdict.valid) accepted++;
      }
      expect(accepted).toBeLessThan(samples / 10);
    },
  );
});

describe('a prover that cheats', () => {
  const attempt = async (
    air: Air,
    witness: unknown,
    change: (honest: ProverSession) => Partial<ProverSession>,
  ) => {
    const result = await prove({
      air,
      witness,
      parameters: parameters({ queryCount: 40 }),
      backend: cheatingBackend(change),
    });
    return verifyResult(air, result);
  };

  it('cannot claim another output than its trace ends in', async () => {
    const verdict = await attempt(fibonacci, ONES, honest => ({
      execute: async () => ({ ...((await honest.execute()) as object), result: 1n }),
    }));
    expect(verdict).toMatchObject({ valid: false, reason: 'constraints-unsatisfied' });
  });

  it.each(Array.from({ length: 25 }, (_, column) => column))(
    'cannot prove a hash chain whose column %i is wrong in one row',
    async column => {
      const air: Air = {
        ...hashChain,
        execute(field, witness, traceLength) {
          const execution = hashChain.execute(field, witness, traceLength);
          execution.columns[column][33] = field.add(execution.columns[column][33], 1n);
          return execution;
        },
      };
      const result = await prove({ air, witness: HELLO, parameters: parameters() });
      expect(verifyResult(hashChain, result)).toMatchObject({
        valid: false,
        reason: 'constraints-unsatisfied',
      });
    },
  );

  it('cannot send opening values that its columns do not take', async () => {
    const altered = ([a, b, c]: Ext): Ext => [a === 0n ? 1n : a - 1n, b, c];
    const verdict = await attempt(fibonacci, ONES, honest => ({
      async evaluateOutOfDomain(point) {
        const values = await honest.evaluateOutOfDomain(point);
        const traceAtZ = values.traceAtZ.map((value, i) => (i === 0 ? altered(value) : value));
        return { ...values, traceAtZ };
      },
    }));
    expect(verdict).toMatchObject({ valid: false, reason: 'constraints-unsatisfied' });
  });

  it('cannot fold with another challenge than the one drawn', async () => {
    const verdict = await attempt(fibonacci, ONES, honest => ({
      foldFinal: ([a, b, c]) => honest.foldFinal([a ^ 1n, b, c]),
    }));
    expect(verdict).toMatchObject({ valid: false, reason: 'final-polynomial-mismatch' });
  });

  it('cannot commit a layer folded with another challenge', async () => {
    const result = await prove({
      air: fibonacci,
      witness: ONES,
      parameters: parameters({ traceLength: 4096, queryCount: 8 }),
      backend: cheatingBackend(honest => ({ foldLayer: ([a, b, c]) => honest.foldLayer([a ^ 1n, b, c]) })),
    });
    expect(verifyResult(fibonacci, result)).toMatchObject({ valid: false, reason: 'layer-opening' });
  });

  it('cannot weigh DEEP with another challenge, though layer 0 is committed nowhere', async () => {
    const verdict = await attempt(fibonacci, ONES, honest => ({
      startFri: (point, [a, b, c], values) => honest.startFri(point, [a ^ 1n, b, c], values),
    }));
    expect(verdict).toMatchObject({ valid: false, reason: 'final-polynomial-mismatch' });
  });

  it('cannot skip the grinding', async () => {
    const backend = cheatingBackend(honest => ({
      grind: async (seed, bits) => (await honest.grind(seed, bits)) + 1n,
    }));
    const proofs = await Promise.all(
      ['a', 'b', 'c', 'd'].map(async contextDomain => {
        const grinding = { ...parameters({ grindingBits: 8 }) };
        const result = await prove({
          air: fibonacci,
          witness: ONES,
          parameters: grinding,
          contextDomain,
          backend,
        });
        return verifyResult(fibonacci, result, contextDomain);
      }),
    );
    for (const verdict of proofs)
      expect(verdict).toMatchObject({ valid: false, reason: 'insufficient-grinding' });
  });
});

describe('bad input', () => {
  const reject = (change: Partial<ProofParameters>) =>
    prove({ air: fibonacci, witness: ONES, parameters: parameters(change) });

  it.each([
    [{ traceLength: 32 }, 'traceLength must be a power of two from 64 to 1048576, got 32'],
    [{ traceLength: 100 }, 'traceLength must be a power of two'],
    [{ traceLength: 2 ** 21 }, 'got 2097152'],
    [{ blowupFactor: 3 }, 'blowupFactor must be one of 2, 4, 8, 16, 32, got 3'],
    [{ blowupFactor: 64 }, 'got 64'],
    [{ queryCount: 0 }, 'queryCount must be an integer from 1 to 512, got 0'],
    [{ queryCount: 513 }, 'got 513'],
    [{ grindingBits: 33 }, 'grindingBits must be an integer from 0 to 32, got 33'],
    [{ grindingBits: 1.5 }, 'got 1.5'],
  ])('refuses %p by name, bound and value', async (change, message) => {
    await expect(reject(change)).rejects.toThrow(message);
  });

  it.each(['x'.repeat(257), '€'.repeat(86), 'a\ud800'])(
    'refuses a context domain it cannot bind',
    async domain => {
      const attempt = prove({
        air: fibonacci,
        witness: ONES,
        parameters: parameters(),
        contextDomain: domain,
      });
      await expect(attempt).rejects.toMatchObject({ code: 'invalid-context-domain', field: 'contextDomain' });
    },
  );

  it('refuses a degree that no chain has and an input that the chain cannot absorb', async () => {
    await expect(proveHashChain({ traceData: 'x', degree: 4 })).rejects.toThrow(
      'degree must be a power of two from 8 to 1048576, got 4',
    );
    await expect(proveHashChain({ traceData: 'x', degree: 100 })).rejects.toThrow('got 100');
    await expect(proveHashChain({ traceData: 'x', friBlowup: 3 })).rejects.toThrow(
      'blowupFactor must be one of',
    );
    await expect(proveHashChain({ traceData: 'x'.repeat(57), degree: 8 })).rejects.toThrow(WitnessError);
  });

  it('refuses an input before it asks the backend for anything', async () => {
    const backend: ProverBackend = {
      name: 'absent',
      begin: () => Promise.reject(new Error('the backend was asked')),
    };
    await expect(proveHashChain({ traceData: '0x1', backend })).rejects.toThrow(WitnessError);
    await expect(proveHashChain({ traceData: '0x11', backend })).rejects.toThrow('the backend was asked');
  });
});

it('proves a degree below 64 at 64 rows under P100, acceptable to the default policy', async () => {
  const result = await proveHashChain({ traceData: 'hello', degree: 8, contextDomain: 'here' });
  expect(result.traceLength).toBe(64);
  expect(result.securityBits).toBeGreaterThanOrEqual(100);
  const publicInputs = hashChainAir.publicInputsToJson(result.publicInputs);
  const { proof, airId } = result;
  const verdict = verify({ proof, airId, publicInputs, contextDomain: 'here', traceLength: 64 });
  expect(verdict).toMatchObject({ valid: true, parameterSet: 'P100', securityBits: result.securityBits });
});

it('announces each stage once in order, measures it, and stops between stages when aborted', async () => {
  const stages: string[] = [];
  const result = await prove({
    air: fibonacci,
    witness: ONES,
    parameters: parameters({ traceLength: 4096 }),
    onStage: stage => stages.push(stage),
  });
  expect(stages).toEqual(PROVER_STAGES);
  expect(Object.keys(result.stageMs)).toEqual(PROVER_STAGES);

  for (const abortAt of PROVER_STAGES.slice(0, -1)) {
    const controller = new AbortController();
    const begun: string[] = [];
    const attempt = prove({
      air: fibonacci,
      witness: ONES,
      parameters: parameters(),
      signal: controller.signal,
      onStage(stage) {
        begun.push(stage);
        if (stage === abortAt) controller.abort(new Error('stopped'));
      },
    });
    await expect(attempt).rejects.toThrow('stopped');
    expect(begun.at(-1)).toBe(abortAt);
  }
});

it('disposes the session exactly once, also when a stage fails', async () => {
  let disposed = 0;
  const backend = (stages: Partial<ProverSession>): ProverBackend => ({
    name: 'observed',
    async begin(input) {
      const session = await referenceProverBackend().begin(input);
      const dispose = async () => void disposed++;
      return replaceStages(session as ProverSession, { ...stages, dispose }) as typeof session;
    },
  });
  await prove({ air: fibonacci, witness: ONES, parameters: parameters(), backend: backend({}) });
  expect(disposed).toBe(1);
  const commitTrace = () => Promise.reject(new Error('out of memory'));
  const failing = prove({
    air: fibonacci,
    witness: ONES,
    parameters: parameters(),
    backend: backend({ commitTrace }),
  });
  await expect(failing).rejects.toThrow('out of memory');
  expect(disposed).toBe(2);
});

import { type Air, preimageAir, preimageDigest, preimageV1Air } from '@svc/stark-air';
import { prove } from '@svc/stark-prover';
import { VerifierThreads } from '@svc/audit-proof/node';
import { createWasmBackend } from '@svc/stark-prover/node';
import { PARAMETER_SETS, parametersOf } from '@svc/stark-verifier';
import { runInTurn } from '@svc/platform';
import type { FactoryProvider } from '@nestjs/common';
import { engineProviders } from '../engine.js';
import { VerifyService } from './verify.service.js';

const backend = createWasmBackend({ threads: 1 });
const threads = new VerifierThreads();
afterAll(() => Promise.all([backend.close(), threads.close()]));

it.each([preimageAir, preimageV1Air])(
  'says of $id what it does not prove, if another replaced it',
  async air => {
    const digest = preimageDigest('goldilocks', '', ['7']).map(BigInt);
    const witness = { contextDomain: '', digest, privateWitness: ['7'] };
    const parameters = parametersOf(PARAMETER_SETS.P100, 2_048, 32, true);
    const made = await prove({ air: air as Air, witness, parameters, backend });
    const verdict = await new VerifyService(threads).verify({
      proof: made.proof,
      airId: air.id,
      publicInputs: preimageAir.publicInputsToJson(made.publicInputs as never) as never,
    });
    expect(verdict).toMatchObject({ valid: true, airId: air.id });
    expect(verdict.doesNotProve).toBe(air.doesNotProve);
    expect(Object.hasOwn(verdict, 'doesNotProve')).toBe(air.id === 'preimage/v1');
  },
);

describe('proofs of strangers', () => {
  const garbage = { proof: new Uint8Array(5_000).fill(255), airId: preimageAir.id, publicInputs: {} };

  it('are verified away from the event loop, which turns meanwhile', async () => {
    let isVerified = false;
    const verdict = new VerifyService(threads).verify(garbage).finally(() => (isVerified = true));
    // What is done on this loop would have been said by then; another thread is heard in a later turn.
    for (let turn = 0; turn < 1_000; turn++) await Promise.resolve();
    expect(isVerified).toBe(false);
    await expect(verdict).resolves.toMatchObject({ valid: false });
  });

  it('wait up to a bound, beyond which they are 503 with a wait; those that waited are answered', async () => {
    const few = new VerifierThreads({ waitingMax: 2 });
    const service = new VerifyService(few);
    const verdicts = await Promise.allSettled(Array.from({ length: 5 }, () => service.verify(garbage)));
    await few.close();
    expect(verdicts.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    for (const refused of verdicts.slice(3)) {
      expect(refused).toMatchObject({ reason: { code: 'OVERLOADED', payload: { retryAfterSeconds: 1 } } });
    }
  });

  it('take turns by who sends them: several that fill the queue keep nobody out, nor waiting for all of theirs', async () => {
    const provider = engineProviders.find(
      (each): each is FactoryProvider => 'provide' in each && each.provide === VerifierThreads,
    )!;
    const shared = provider.useFactory() as VerifierThreads;
    const service = new VerifyService(shared);
    const order: string[] = [];
    const verify = (subject: string) =>
      runInTurn({ subject, standing: 'later' }, () => service.verify(garbage)).then(
        () => order.push(subject),
        (error: { code: string }) => error.code,
      );
    const asked = ['loud', 'louder', 'loudest'].flatMap(subject =>
      Array.from({ length: 64 }, () => verify(subject)),
    );
    asked.push(verify('quiet'));
    const outcomes = await Promise.all(asked);
    await shared.close();
    expect(outcomes).toContain('OVERLOADED');
    expect(order.indexOf('quiet')).toBeGreaterThanOrEqual(0);
    expect(order.indexOf('quiet')).toBeLessThanOrEqual(4);
  });
});

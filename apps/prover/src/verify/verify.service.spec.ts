import { type Air, preimageAir, preimageDigest, preimageV1Air } from '@svc/stark-air';
import { prove } from '@svc/stark-prover';
import { createWasmBackend } from '@svc/stark-prover/node';
import { PARAMETER_SETS, parametersOf, referenceVerifierBackend } from '@svc/stark-verifier';
import { VerifyService } from './verify.service.js';

const backend = createWasmBackend({ threads: 1 });
afterAll(() => backend.close());

it.each([preimageAir, preimageV1Air])(
  'says of $id what it does not prove, if another replaced it',
  async air => {
    const digest = preimageDigest('goldilocks', '', ['7']).map(BigInt);
    const witness = { contextDomain: '', digest, privateWitness: ['7'] };
    const parameters = parametersOf(PARAMETER_SETS.P100, 2_048, 32, true);
    const made = await prove({ air: air as Air, witness, parameters, backend });
    const verdict = new VerifyService(referenceVerifierBackend).verify({
      proof: made.proof,
      airId: air.id,
      publicInputs: preimageAir.publicInputsToJson(made.publicInputs as never) as never,
    });
    expect(verdict).toMatchObject({ valid: true, airId: air.id });
    expect(verdict.doesNotProve).toBe(air.doesNotProve);
    expect(Object.hasOwn(verdict, 'doesNotProve')).toBe(air.id === 'preimage/v1');
  },
);

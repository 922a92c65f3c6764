import { writeFileSync } from 'node:fs';
import { type Air, findAir } from '@svc/stark-air';
import { FORMAT_VERSION, profileOf } from '@svc/stark-verifier';
import {
  PROOF_VECTORS_FILE,
  type ProofVector,
  proofVectors,
  version2ProofVectors,
} from '@svc/stark-verifier/testing';
import { seededRandomSource } from '../testing/seeded-random.js';
import { prove } from './prove.js';

/** Proves a vector's statement afresh. Masks come from the seed that its name is. */
async function remake({
  name,
  airId,
  witness,
  contextDomain,
  parameters,
}: ProofVector): Promise<ProofVector> {
  const air = findAir(airId, profileOf(parameters.profile).base.name) as Air;
  const result = await prove({
    air,
    witness: air.witnessFromJson?.(witness),
    parameters,
    contextDomain,
    random: seededRandomSource(name),
  });
  return {
    name,
    airId,
    witness,
    contextDomain,
    parameters,
    publicInputs: air.publicInputsToJson(result.publicInputs),
    starkRootCommitment: result.starkRootCommitment,
    friBytes: result.friBytes,
    proof: Buffer.from(result.proof).toString('base64'),
  };
}

// Of version 2 the short ones: that all of them verify is held where the verifier is.
const ofVersion2 = version2ProofVectors.filter(({ parameters }) => parameters.traceLength === 64);
const versions = [...proofVectors, ...ofVersion2].map(vector => {
  const { formatVersion = FORMAT_VERSION } = vector.parameters;
  return [formatVersion, vector.name, vector] as const;
});

it.each(versions)('reproduces the pinned proof of version %i to the byte: %s', async (_, __, vector) => {
  expect(await remake(vector)).toEqual(vector);
});

// A new version of the format, or of an AIR, changes these proofs on purpose: PIN_PROOFS=1 writes them anew.
if (process.env.PIN_PROOFS) {
  afterAll(async () => {
    const source =
      'Made by the reference prover of this repository: format version 3, to the byte. Base64. Masks: testing/seeded-random.ts, seeded by the name.';
    const proofs: ProofVector[] = [];
    for (const vector of proofVectors) proofs.push(await remake(vector));
    writeFileSync(PROOF_VECTORS_FILE, `${JSON.stringify({ source, proofs }, undefined, 2)}\n`);
  });
}

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { verify } from '@svc/stark-verifier';
import { ownAnswers } from './write-own-vectors.mjs';

const known = JSON.parse(readFileSync(join(import.meta.dirname, 'own-vectors.json'), 'utf8'));

it('the known answers of definitions are what the engines make, proofs included', async () => {
  assert.deepEqual(await ownAnswers(), known);
});

it('the ids are the hashes of the canonical texts, and the proofs hold under them alone', () => {
  for (const { text, canonical, id, contextDomain, publicInputs, proof } of known.definitions) {
    assert.equal(`air/sha256:${createHash('sha256').update(canonical).digest('hex')}`, id);
    const claim = { airId: id, contextDomain, publicInputs, proof: Buffer.from(proof, 'base64') };
    const valid = air => verify({ ...claim, air }, { securityBitsMin: 0 }).valid;
    assert.deepEqual([text, canonical, text.replace(']}', '] }'), undefined].map(valid), [
      true,
      true,
      true,
      false,
    ]);
    assert.deepEqual(
      known.definitions.filter(({ text: other }) => valid(other)).map(({ id: of }) => of),
      [id],
    );
  }
});

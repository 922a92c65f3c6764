import type { BaseField } from '@svc/kernels';
import { profileOf } from '@svc/stark-verifier';
import type { ProverBackend } from './backend.js';
import { CircleReferenceSession } from './circle/circle-session.js';
import { ReferenceSession } from './reference-session.js';

/**
 * The prover in plain TypeScript: slow, and the definition that faster backends match byte for byte.
 * @param field the field of the profile; it counts operations if it is a CountingField. Tables that depend on the parameters alone (twiddles,
 * domain points, periodic columns, the transition divisor) are made with plain arithmetic and so are not counted.
 */
export function referenceProverBackend(field?: BaseField): ProverBackend {
  return {
    name: 'reference',
    async begin(input) {
      const { facts, base } = profileOf(input.parameters.profile);
      const Session = facts.domain === 'circle' ? CircleReferenceSession : ReferenceSession;
      return new Session(input, field ?? base);
    },
  };
}

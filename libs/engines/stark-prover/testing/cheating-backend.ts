import type { ProverBackend, ProverSession } from '../src/backend.js';
import { referenceProverBackend } from '../src/reference-backend.js';

/** The reference prover with some of a session's stages replaced; the others keep its state. */
export function cheatingBackend(change: (honest: ProverSession) => Partial<ProverSession>): ProverBackend {
  return {
    name: 'cheating',
    async begin(input) {
      const honest = await referenceProverBackend().begin(input);
      return replaceStages(honest as ProverSession, change(honest as ProverSession)) as typeof honest;
    },
  };
}

/** The session with some stages replaced. */
export function replaceStages(session: ProverSession, stages: Partial<ProverSession>): ProverSession {
  return new Proxy(session, {
    get(target, name: keyof ProverSession) {
      // Awaiting the session looks for a `then`, which it has not.
      const stage: ((...args: never[]) => unknown) | undefined = stages[name] ?? target[name];
      return stage?.bind(target);
    },
  });
}

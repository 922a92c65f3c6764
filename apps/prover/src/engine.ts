import { Inject, Injectable, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { VerifierThreads } from '@svc/audit-proof/node';
import { queueTurn } from '@svc/platform';
import { createWasmBackend, OwnThreads, type WasmBackend } from '@svc/stark-prover/node';
import { loadWasmVerifierBackend } from '@svc/stark-verifier/node';
import type { ProverBackend } from '@svc/stark-prover';
import type { SizeClass } from './prove/proof-queue.js';

/** The engines that proofs are made with, one for each class of size: {@link ProverBackends}. */
export const PROVER_BACKENDS = Symbol('PROVER_BACKENDS');
/** The engine that this service checks its own proofs with; those of strangers are checked by `VerifierThreads`. */
export const VERIFIER_BACKEND = Symbol('VERIFIER_BACKEND');

/** Each has threads and memory of its own, which it holds while it has work. */
export type ProverBackends = Readonly<Record<SizeClass, ProverBackend>>;

/** Ends the worker threads when the service has drained. */
@Injectable()
export class EngineShutdown implements OnApplicationShutdown {
  constructor(
    @Inject(PROVER_BACKENDS) private readonly provers: Readonly<Record<SizeClass, WasmBackend>>,
    private readonly verifiers: VerifierThreads,
    private readonly definitions: OwnThreads,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    const all = [this.verifiers, this.definitions, ...Object.values(this.provers)];
    await Promise.all(all.map(threads => threads.close()));
  }
}

/** Long proofs leave the cores to short ones and to audits, which somebody waits for. */
const proverBackends = (): Record<SizeClass, WasmBackend> => ({
  small: createWasmBackend(),
  medium: createWasmBackend({ niceness: 5 }),
  large: createWasmBackend({ niceness: 10 }),
});

export const engineProviders: Provider[] = [
  { provide: PROVER_BACKENDS, useFactory: proverBackends },
  { provide: VERIFIER_BACKEND, useFactory: () => loadWasmVerifierBackend() },
  { provide: VerifierThreads, useFactory: () => new VerifierThreads({ turnOf: queueTurn }) },
  { provide: OwnThreads, useFactory: () => new OwnThreads({ turnOf: queueTurn }) },
  EngineShutdown,
];

import { Inject, Injectable, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { createWasmBackend, type WasmBackend } from '@svc/stark-prover/node';
import { loadWasmVerifierBackend } from '@svc/stark-verifier/node';

/** The engine that proofs are made with: a {@link WasmBackend}. */
export const PROVER_BACKEND = Symbol('PROVER_BACKEND');
/** The engine that proofs are checked with. */
export const VERIFIER_BACKEND = Symbol('VERIFIER_BACKEND');

/** Ends the prover's worker threads when the service has drained. */
@Injectable()
export class EngineShutdown implements OnApplicationShutdown {
  constructor(@Inject(PROVER_BACKEND) private readonly prover: WasmBackend) {}

  onApplicationShutdown(): Promise<void> {
    return this.prover.close();
  }
}

export const engineProviders: Provider[] = [
  { provide: PROVER_BACKEND, useFactory: () => createWasmBackend() },
  { provide: VERIFIER_BACKEND, useFactory: () => loadWasmVerifierBackend() },
  EngineShutdown,
];

import type { JsonObject } from '../wal/wal-record.js';

/** Where a step stands in a saga, and what it may know. */
export interface StepContext {
  readonly sagaId: string;
  readonly step: string;
  /** From 1; counted by itself in each direction. */
  readonly attempt: number;
  /** SHA-256 of saga, step and direction, hexadecimal: the same in every attempt. */
  readonly idemKey: string;
  /** That of the step's forward effect, which its compensation names to the receiver. */
  readonly forwardIdemKey: string;
  /** Payload of SAGA_BEGIN. */
  readonly begun: JsonObject;
  /** Payloads of the STEP_COMMIT records so far, by step. */
  readonly committed: Readonly<Record<string, JsonObject>>;
  /** What the saga keeps beside its log: inputs and outputs that must not stay for good. */
  readonly kept: JsonObject;
  /** Aborts when the saga's lease is lost, the process ends or the try takes too long: nothing after it counts. */
  readonly signal: AbortSignal;
}

/** What a step came to. */
export interface StepOutcome {
  /** Payload of STEP_COMMIT or COMP_COMMIT. */
  readonly logged: JsonObject;
  /** Members to put into what the saga keeps. */
  readonly kept?: JsonObject;
}

/**
 * The step can never succeed: it is not tried again, and what was done before it is compensated.
 * Whatever else a step throws leaves it unknown whether it had its effect: it is asked about or tried again.
 */
export class StepFailed extends Error {
  /**
   * @param code stable, for STEP_FAIL and for the caller
   * @param mayHaveEffect whether the step itself must be compensated too; false promises that no copy of the request
   *   that is still on its way will have an effect either
   * @param kept members to put into what the saga keeps, beside `failure`, which is {step, code, message}
   */
  constructor(
    readonly code: string,
    message: string,
    readonly mayHaveEffect: boolean,
    readonly kept?: JsonObject,
  ) {
    super(message);
    this.name = 'StepFailed';
  }
}

/** A step whose effect is in the database of the log: it is there if, and only if, its STEP_COMMIT is. */
export interface LocalStep<Tx> {
  readonly name: string;
  readonly kind: 'local';
  /** Within the transaction that records STEP_COMMIT. @throws StepFailed */
  run(tx: Tx, context: StepContext): Promise<StepOutcome>;
  /** Within the transaction that records COMP_COMMIT. Called for a step that has committed alone. */
  undo(tx: Tx, context: StepContext): Promise<StepOutcome>;
}

/** A step whose effect is elsewhere; its receiver knows an effect again by `idemKey` and has it once. */
export interface RemoteStep {
  readonly name: string;
  readonly kind: 'remote';
  /** @throws StepFailed where the receiver refuses for good */
  run(context: StepContext): Promise<StepOutcome>;
  /**
   * What became of an effect whose outcome is unknown; undefined where the receiver knows nothing of it, or has begun
   * and not ended: it is run (or asked about) again then.
   */
  ask(context: StepContext): Promise<StepOutcome | undefined>;
  /** Takes the effect of `forwardIdemKey` back, also one that the receiver does not know yet: it never comes then. */
  undo(context: StepContext): Promise<StepOutcome>;
}

export type SagaStep<Tx> = LocalStep<Tx> | RemoteStep;

/** A saga: steps that happen wholly or not at all. Pure description; nothing of it is kept between sagas. */
export interface SagaDefinition<Tx> {
  readonly name: string;
  /** Raised when steps change: a saga is carried on by the definition that began it. */
  readonly version: number;
  readonly steps: readonly SagaStep<Tx>[];
  /** Tries of a compensation before the saga is stuck, by default 10; as many again each time it is resumed. */
  readonly undoAttemptsMax?: number;
  /** Tries of a step whose outcome stays unknown before it is given up and compensated, by default 5. */
  readonly runAttemptsMax?: number;
  /**
   * Milliseconds that one try of a remote step, of asking about it or of its compensation may take, by default 120,000:
   * its outcome is unknown then. The database bounds local ones.
   */
  readonly tryMsMax?: number;
  /** Within the transaction that records SAGA_COMMIT, after the last step. Its payload. */
  committed?(tx: Tx, context: EndContext): Promise<JsonObject>;
  /**
   * Within the transaction that records SAGA_ABORTED, when everything is taken back. Its payload, to which the code of
   * the failure is added as `reason`.
   */
  aborted?(tx: Tx, context: EndContext): Promise<JsonObject>;
}

/** What the end of a saga may know. */
export interface EndContext extends Pick<StepContext, 'sagaId' | 'begun' | 'committed' | 'kept'> {
  /** Why the saga was taken back. */
  readonly failure?: SagaFailure;
}

/** The step that failed, and the code it failed with. */
export interface SagaFailure {
  readonly step: string;
  readonly code: string;
}

/** One run of a capability for a task. */
export interface CapabilityCall {
  readonly taskId: string;
  /** One more with each run of the task. */
  readonly fence: number;
  readonly input: Record<string, unknown>;
  /** The inputs as deflated text, where the service beneath reads them and they came so; `input` is empty then. */
  readonly packed?: Uint8Array;
  /** `Payment-Receipt`, for the answer. */
  readonly receipt: string;
  readonly ticket?: string;
  readonly baseUrl?: string;
  readonly accountId?: string;
  /** Within the quota of its caller. Default: false. */
  readonly isFree?: boolean;
  /** Aborts when nobody wants the answer of this run any more. */
  readonly signal: AbortSignal;
  onStage(stage: string, progress?: number): void;
}

/** What a capability came to. */
export interface CapabilityAnswer {
  /** As the capability's own route answers, but for what opens its commitment. */
  readonly result: Record<string, unknown>;
  /** False for an answer that says nothing that was paid for. */
  readonly charged: boolean;
  /** What opens the commitment of its proof: for the payer alone. */
  readonly opening?: Readonly<Record<string, string>>;
}

import { Inject, Injectable } from '@nestjs/common';
import type { ActiveInferenceRequest, InferenceReply } from '@svc/contracts';
import { QUICK_THREADS } from '../compute/compute.providers.js';
import type { ParcelAnswer } from '../compute/compute-task.js';
import { ComputeThreads } from '../compute/compute-threads.js';
import type { ParcelInput } from '@svc/inference';

/** The largest model that is taken needs about a quarter of a second of one core. */
const TIMEOUT_MS = 20_000;

/** Active inference and the model of a parcel, in threads of their own: neither holds up a message. */
@Injectable()
export class InferenceService {
  constructor(@Inject(QUICK_THREADS) private readonly threads: ComputeThreads) {}

  /** @throws ProblemError UNPROCESSABLE naming field, bound and value: shapes, sums, more work than one call may have */
  async admit(request: ActiveInferenceRequest): Promise<void> {
    await this.threads.run('checkModel', request, { timeoutMs: TIMEOUT_MS });
  }

  /** @throws ProblemError as {@link admit}, and for observations that cannot be; the signal's reason */
  infer(request: ActiveInferenceRequest, signal?: AbortSignal): Promise<InferenceReply> {
    return this.threads.run('infer', request, { signal, timeoutMs: TIMEOUT_MS });
  }

  /** @throws ProblemError UNPROCESSABLE naming field, bound and value; the signal's reason */
  evaluateParcel(input: ParcelInput, signal?: AbortSignal): Promise<ParcelAnswer> {
    return this.threads.run('parcel', input, { signal, timeoutMs: TIMEOUT_MS });
  }
}

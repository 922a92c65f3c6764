import { Inject, Injectable } from '@nestjs/common';
import type { AdmittedWork, InferenceReply } from '@svc/contracts';
import { QUICK_THREADS } from '../compute/compute.providers.js';
import type { ParcelAnswer, ReadModel } from '../compute/compute-task.js';
import { ComputeThreads } from '../compute/compute-threads.js';
import { KeptReadings } from '../compute/kept-readings.js';
import type { ParcelInput } from '@svc/inference';

/** A model that was read is kept for its inference, which mostly follows at once. */
const KEPT_MS = 60_000;
const KEPT_BYTES_MAX = 64_000_000;
/** The largest model that is taken needs about a quarter of a second of one core. */
const TIMEOUT_MS = 20_000;

/** Active inference and the model of a parcel, read and computed in threads of their own: neither holds up a message. */
@Injectable()
export class InferenceService {
  private readonly readings = new KeptReadings<ReadModel>({
    keptMs: KEPT_MS,
    bytesMax: KEPT_BYTES_MAX,
    bytesOf: ({ model: { A, B, C, D, E } }) =>
      [A, ...B, C, D, ...(E ? [E] : [])].reduce((bytes, numbers) => bytes + numbers.byteLength, 0),
  });

  constructor(@Inject(QUICK_THREADS) private readonly threads: ComputeThreads) {}

  /**
   * @param packed the request's text, deflated without a header
   * @throws ProblemError MALFORMED_JSON, BODY_TOO_LARGE; VALIDATION_FAILED, and UNPROCESSABLE for shapes, sums and more work than
   * one call may have, naming place, bound and value
   */
  async admit(packed: Uint8Array): Promise<AdmittedWork> {
    const { workUnits } = await this.read(packed);
    return { workUnits };
  }

  /** @throws ProblemError as {@link admit}, and for observations that cannot be; the signal's reason */
  async infer(packed: Uint8Array, signal?: AbortSignal): Promise<InferenceReply> {
    return this.threads.run('infer', await this.read(packed), { signal, timeoutMs: TIMEOUT_MS });
  }

  private read(packed: Uint8Array): Promise<ReadModel> {
    return this.readings.of(packed, () =>
      this.threads.run('readModel', { packed }, { timeoutMs: TIMEOUT_MS }),
    );
  }

  /** @throws ProblemError UNPROCESSABLE naming field, bound and value; the signal's reason */
  evaluateParcel(input: ParcelInput, signal?: AbortSignal): Promise<ParcelAnswer> {
    return this.threads.run('parcel', input, { signal, timeoutMs: TIMEOUT_MS });
  }
}

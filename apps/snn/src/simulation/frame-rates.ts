import { Injectable } from '@nestjs/common';
import { SurprisalHistory } from '@svc/inference';
import { MeasurementRegistry } from '@svc/platform';
import type { SpikingNetwork } from '@svc/spiking';

/** Neurons from which a run counts: the figure is never scaled from a smaller network. */
export const FRAME_RATE_NEURONS_MIN = 1_000_000;
/** Steps from which a run counts: a shorter one says more of how it begins. */
const ITERATIONS_MIN = 100;
/** Synapses a neuron and milliseconds a step from which a run counts, the defaults: with less of them frames are cheaper. */
const OUT_DEGREE_MIN = 80;
const DT_MS_MIN = 0.1;
/** Rates that must be known before one can be surprising. */
const HISTORY_MIN = 3;

/** The service's figures of `GET /health`, each with the reason while there is none. */
export const SNN_MEASUREMENTS = {
  snnFramerateFps:
    'no network of a million neurons with STDP has been simulated for 100 steps since the start',
  fepSurprisal:
    'fewer than three networks of a million neurons with STDP have been simulated for 100 steps since the start',
} as const;

/**
 * The frame rates of real runs of a million neurons with STDP, and how surprising the newest is after those before it:
 * −ln p of the logarithm of the rate, nats, under the Student-t that the service's own history predicts.
 */
@Injectable()
export class FrameRates {
  private readonly history = new SurprisalHistory();

  constructor(private readonly measurements: MeasurementRegistry) {}

  /** A run was completed, and answered. */
  note(
    { neuronCount, outDegree, dtMs, plasticity }: SpikingNetwork,
    iterations: number,
    loopMs: number,
  ): void {
    if (!plasticity || neuronCount < FRAME_RATE_NEURONS_MIN || iterations < ITERATIONS_MIN) return;
    if (outDegree < OUT_DEGREE_MIN || dtMs < DT_MS_MIN) return;
    const fps = (1_000 * iterations) / loopMs;
    this.measurements.record('snnFramerateFps', fps);
    const surprisal = this.history.observe(Math.log(fps));
    if (surprisal !== undefined && this.history.size >= HISTORY_MIN) {
      this.measurements.set('fepSurprisal', surprisal);
    }
  }
}

import { Injectable } from '@nestjs/common';
import { type ToolName, type ToolReply, TOOLS } from '@svc/contracts';
import { parseOrProblem, problem } from '@svc/platform';
import type { CallWork } from '../calls/running-calls.js';
import { InferenceService } from '../inference/inference.service.js';
import { Attractor } from './attractor.js';

/** A call of a tool whose inputs have been read. */
export interface ToolCall {
  /** The inputs, as they are worked on: under one idempotency key always the same. */
  readonly request: unknown;
  /** @throws ProblemError with field and bound, QUEUE_FULL; before any work or payment */
  admit(): void;
  /** @throws ProblemError; the signal's reason */
  run(idemKey: string): CallWork<ToolReply>;
}

/** The tools that this service runs. Each answer is a function of the inputs, the key and the backend that it names. */
@Injectable()
export class ToolService {
  constructor(
    private readonly inference: InferenceService,
    private readonly attractor: Attractor,
  ) {}

  /** @throws ProblemError VALIDATION_FAILED; NOT_YET_AVAILABLE for a tool of another service */
  read(tool: ToolName, input: unknown): ToolCall {
    switch (tool) {
      case 'evaluate_spatial_parcel_fep':
        return this.parcelCall(input);
      case 'webgpu_snn_attractor':
        return this.attractorCall(input);
      default:
        throw problem('NOT_YET_AVAILABLE', `The service of spiking networks does not run the tool ${tool}`);
    }
  }

  private parcelCall(input: unknown): ToolCall {
    const request = parseOrProblem(TOOLS.evaluate_spatial_parcel_fep.input, input);
    const { elevationContour, soilConductivity } = request;
    const parcel = { elevationContour, ...(soilConductivity === undefined ? {} : { soilConductivity }) };
    return {
      request,
      admit: () => undefined,
      run: () => async (signal, note) => {
        note(0, 'evaluating');
        return { output: { ...(await this.inference.evaluateParcel(parcel, signal)) } };
      },
    };
  }

  private attractorCall(input: unknown): ToolCall {
    const request = parseOrProblem(TOOLS.webgpu_snn_attractor.input, input);
    const { neuronCount } = request;
    if (!Number.isInteger(neuronCount)) {
      const message = 'Invalid input: expected int, received number';
      throw problem('VALIDATION_FAILED', `neuronCount: ${message}`, {
        errors: [{ path: 'neuronCount', message, bound: 'int', got: neuronCount }],
      });
    }
    return {
      request,
      admit: () => this.attractor.admit(neuronCount),
      run: idemKey => async (signal, note) => ({
        output: { ...(await this.attractor.measure(neuronCount, seedOf(idemKey), { signal, note })) },
      }),
    };
  }
}

/** The seed of a key's run: its first 32 bits, which are as good as random, since keys are digests. */
const seedOf = (idemKey: string) => Number.parseInt(idemKey.slice(0, 8), 16);

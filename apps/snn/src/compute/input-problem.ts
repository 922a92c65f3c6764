import type { FieldFault, ProblemPayload } from '@svc/contracts';
import { InferenceInputError } from '@svc/inference';
import { SpikingParameterError } from '@svc/spiking';
import { GraphProblemError } from '@svc/spiking-graph';

/** A request that cannot be read or worked on: the problem that its caller gets. */
export class RefusedInput extends Error {
  override readonly name = 'RefusedInput';

  constructor(readonly payload: ProblemPayload) {
    super(payload.detail);
  }
}

/** Parameters of the engine by the names that requests have for them. */
const REQUEST_FIELDS: Readonly<Record<string, string>> = {
  ...{ aPlus: 'plasticity.aPlus', aMinus: 'plasticity.aMinus', wMaxMv: 'plasticity.wMaxMv' },
  ...{ tauPlusMs: 'plasticity.tauPlusMs', tauMinusMs: 'plasticity.tauMinusMs' },
  ...{ rasterNeurons: 'record.rasterNeurons', rateHistogramBins: 'record.rateHistogramBins' },
  ...{ binMs: 'record.binMs', bytes: 'neuronCount' },
};

/**
 * What an engine says of its input, as the problem that names field, bound and value; undefined for other errors. It runs in
 * threads too, and so knows nothing of the service.
 */
export function inputProblemOf(error: unknown): ProblemPayload | undefined {
  if (error instanceof RefusedInput) return error.payload;
  if (error instanceof InferenceInputError) {
    const { code, path, message, bound, got } = error;
    return refused(code === 'TYPE' ? 'VALIDATION_FAILED' : 'UNPROCESSABLE', path, message, bound, got);
  }
  if (error instanceof GraphProblemError) {
    const path = error.path.replace(/\.(\d+)(?=\.|$)/g, '[$1]');
    return refused('UNPROCESSABLE', path, `${path} ${error.message}`, boundOf(error.bound), error.got);
  }
  if (error instanceof SpikingParameterError) {
    const path = REQUEST_FIELDS[error.parameter] ?? error.parameter;
    const bound = error.got > error.max ? error.max : error.min;
    return refused('UNPROCESSABLE', path, error.message, bound, error.got);
  }
  return undefined;
}

/** The one bound that there is, or both. */
const boundOf = (bound: { min?: number; max?: number } | undefined) =>
  bound === undefined || (bound.min !== undefined && bound.max !== undefined)
    ? bound
    : (bound.max ?? bound.min);

function refused(
  code: ProblemPayload['code'],
  path: string,
  message: string,
  bound: unknown,
  got: unknown,
): ProblemPayload {
  // NaN and infinity have no form in JSON.
  const shown = typeof got === 'number' && !Number.isFinite(got) ? String(got) : got;
  const fault: FieldFault = {
    path,
    message,
    ...(bound === undefined ? {} : { bound }),
    ...(shown === undefined ? {} : { got: shown }),
  };
  return { code, detail: message, errors: [fault] };
}

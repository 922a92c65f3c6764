import type { Answer } from '../paid-call.js';
import { ActiveInferenceRequest as InferenceSchema } from '@svc/contracts';
import type { ActiveInferenceRequest, ActiveInferenceResult } from '../api-types.js';
import type { ToolAnswer } from '../tool/tool-methods.js';
import { given, numberOption, purchase, PURCHASE_NOTES, purchaseOptions } from './agent-purchase.js';
import { ExitCode, UsageError } from './exit-code.js';
import { readFileOrStdin, readJsonObject } from './operand.js';
import { textOption, type Verb, type VerbContext } from './verb.js';

const { price: _price, request: _request, ...buying } = purchaseOptions;

const PARCEL_TOOL = 'evaluate_spatial_parcel_fep';

interface ParcelAnswer extends ToolAnswer {
  readonly variationalFreeEnergy: number;
  readonly homeostaticStatus: string;
  readonly optimalTrajectory: readonly number[];
  readonly adaptingUpTo?: number;
  readonly negLogEvidence?: number;
}

const numbers = (values: readonly number[]): string => values.map(value => value.toFixed(4)).join(', ');

function inferenceLines(data: ActiveInferenceResult): (readonly [string, string])[] {
  const best = data.qPi.indexOf(Math.max(...data.qPi));
  return [
    ['states', numbers(data.qs)],
    ['free energy', `${data.F.toFixed(6)} nats`],
    ['policy', `${data.policies[best].join(', ')} (of ${data.qPi.length}, ${data.qPi[best].toFixed(4)})`],
    [
      'expected',
      `utility ${data.negEFE.utility[best].toFixed(4)}, gain ${data.negEFE.infoGain[best].toFixed(4)} nats`,
    ],
    ['action', `${data.action}, of probabilities ${numbers(data.actionProbabilities)}`],
  ];
}

function parcelLines(data: ParcelAnswer): (readonly [string, string])[] {
  const { homeostaticStatus, variationalFreeEnergy, adaptingUpTo, negLogEvidence, optimalTrajectory } = data;
  return [
    ['status', homeostaticStatus],
    ['free energy', `${variationalFreeEnergy.toFixed(6)} nats a sample`],
    ...(adaptingUpTo === undefined ? [] : [['expected', `up to ${adaptingUpTo.toFixed(4)}`] as const]),
    ...(negLogEvidence === undefined
      ? []
      : [['evidence of it', `${negLogEvidence.toFixed(3)} nats`] as const]),
    ['trajectory', `${optimalTrajectory.length} elevations (use --json or --save)`],
  ];
}

async function bodyOf({ positionals, streams }: VerbContext): Promise<Record<string, unknown>> {
  const [, path] = positionals;
  if (path === undefined) throw new UsageError('FILE is missing: the request as JSON, - for stdin');
  return readJsonObject(await readFileOrStdin(path, streams), path);
}

async function infer(context: VerbContext): Promise<ExitCode> {
  const request = await bodyOf(context);
  // Its evidence speaks of the request as the gateway reads it: with its defaults.
  const read = InferenceSchema.safeParse(request);
  return purchase<ActiveInferenceResult>(context, {
    doing: 'inferring',
    request: read.success ? read.data : request,
    buy: (client, options) => client.inferAction(request as ActiveInferenceRequest, options),
    lines: inferenceLines,
  });
}

async function parcel(context: VerbContext): Promise<ExitCode> {
  const request = {
    ...(await bodyOf(context)),
    ...given({
      parcelId: textOption(context.values, 'parcel'),
      soilConductivity: numberOption(context, 'conductivity'),
    }),
  };
  return purchase<ParcelAnswer>(context, {
    doing: PARCEL_TOOL,
    request,
    buy: (client, options) => client.callTool(PARCEL_TOOL, request, options) as Promise<Answer<ParcelAnswer>>,
    lines: parcelLines,
  });
}

export const fepVerb: Verb = {
  name: 'fep',
  summary: 'infer states and an action, or evaluate a parcel, by free energy',
  operands: 'infer FILE | parcel FILE',
  positionalsMin: 1,
  positionalsMax: 2,
  options: {
    parcel: { type: 'string', placeholder: 'NAME', help: 'name of the parcel, where FILE has none' },
    conductivity: { type: 'string', placeholder: 'MS_M', help: 'of its soil, mS/m' },
    ...buying,
  },
  notes: [
    ...PURCHASE_NOTES,
    'FILE of infer is the body of POST /v1/fep/active-inference: {"A":…,"B":…,"C":…,"D":…,"observations":[1]}.',
    'FILE of parcel is {"parcelId":"…","elevationContour":[…]}, elevations in metres along the contour.',
    '',
    'Examples:',
    '  svc fep infer model.json',
    '  svc fep parcel contour.json --conductivity 12 --save answer.json',
  ],
  run(context) {
    const [what] = context.positionals;
    if (what === 'infer') return infer(context);
    if (what === 'parcel') return parcel(context);
    throw new UsageError('say infer or parcel, and FILE');
  },
};

import { encodeBase64 } from '../challenge/byte-text.js';
import type { VerifyBullionRequest, VerifyBullionResult } from '../api-types.js';
import {
  bytesOf,
  given,
  numberOption,
  purchase,
  PURCHASE_NOTES,
  purchaseOptions,
  requestOf,
  showPrice,
} from './agent-purchase.js';
import { linesOf } from './api-command.js';
import { openClient } from './connection.js';
import { ExitCode, UsageError } from './exit-code.js';
import { readOperandFile } from './operand.js';
import { saveFile } from './paid-answer.js';
import { columns } from './terminal.js';
import { textOption, type Verb, type VerbContext } from './verb.js';

function lines(data: VerifyBullionResult): (readonly [string, string])[] {
  const { verdict, reasons, product, modes, massCheck, reference, fakes } = data;
  const heard = modes.filter(({ measuredHz }) => measuredHz !== null).length;
  const melt =
    (data.meltValue === null ? 'unknown' : `${data.meltValue} USD`) +
    (data.meltValueNote === null ? '' : ` (${data.meltValueNote})`);
  const alike = fakes.flatMap(({ metal, fits }) => (fits ? [metal] : []));
  return [
    ['verdict', `${verdict}, evidence level ${data.evidenceLevel}`],
    ...reasons.slice(0, 3).map(({ text }, i) => [i === 0 ? 'because' : '', text] as const),
    ['held against', `${product.name}: ${reference.kind} (${reference.source})`],
    ['modes', `${heard} of ${modes.length} heard`],
    ['fakes', alike.length === 0 ? 'none reads alike' : `${alike.join(', ')} would read alike`],
    ...(massCheck === null
      ? []
      : [
          [
            'mass',
            `${massCheck.measuredG} g, ${massCheck.deviationPercent} % from ${massCheck.expectedG} g`,
          ] as const,
        ]),
    ['melt value', `${melt}, of ${data.fineMassG} g fine`],
    ['limits', data.limits.join(' ')],
  ];
}

function peaksOf(text: string | undefined): number[] | undefined {
  if (text === undefined) return undefined;
  const peaks = text.split(',').map(peak => peak.trim());
  if (!peaks.every(peak => /^\d{1,6}(\.\d{1,6})?$/.test(peak)))
    throw new UsageError('--peaks must be frequencies in Hz with commas between them');
  return peaks.map(Number);
}

async function bodyOf(context: VerbContext): Promise<Record<string, unknown>> {
  const { positionals, values } = context;
  const recording = textOption(values, 'recording');
  const body = {
    ...(await requestOf(context)),
    ...given({
      productId: positionals[0],
      metal: textOption(values, 'metal'),
      fineness: numberOption(context, 'fineness'),
      shape: textOption(values, 'shape'),
      massG: numberOption(context, 'mass'),
      diameterMm: numberOption(context, 'diameter'),
      thicknessMm: numberOption(context, 'thickness'),
      lengthMm: numberOption(context, 'length'),
      widthMm: numberOption(context, 'width'),
      submergedMassG: numberOption(context, 'submerged'),
      scaleAccuracyG: numberOption(context, 'scale-accuracy'),
      conductivityMSm: numberOption(context, 'conductivity'),
      conductivityPercentIacs: numberOption(context, 'iacs'),
      magnetSlide: textOption(values, 'magnet'),
      peaksHz: peaksOf(textOption(values, 'peaks')),
      recordingBase64: recording === undefined ? undefined : encodeBase64(await readOperandFile(recording)),
      challengeId: textOption(values, 'challenge'),
      spectrumSvg: textOption(values, 'svg') === undefined ? undefined : true,
    }),
  };
  if (Object.keys(body).length === 0)
    throw new UsageError('PRODUCT is missing; svc bullion --products lists them');
  return body;
}

function needsText(passNeeds: readonly string[] | null): string {
  if (passNeeds === null) return 'needs enrolment';
  return passNeeds.length === 0 ? 'passes by its ring' : `passes with ${passNeeds.join(' and ')}`;
}

async function listProducts(context: VerbContext): Promise<ExitCode> {
  const client = await openClient(context, 'free');
  const { data } = await client.bullionProducts({ signal: context.signal });
  const rows = data.items.map(
    ({ productId, massG, reference, name, passNeeds }) =>
      [productId, `${name}, ${massG} g, reference: ${reference}; ${needsText(passNeeds)}`] as const,
  );
  context.terminal.result(data, rows.length === 0 ? ['nothing'] : columns(rows));
  return ExitCode.ok;
}

async function makeTone(context: VerbContext, path: string): Promise<ExitCode> {
  const client = await openClient(context, 'free');
  const { data } = await client.request('POST' as string, '/api/agent/bullion/challenge', {
    signal: context.signal,
  });
  const { toneWavBase64, ...challenge } = data;
  await saveFile(path, bytesOf(String(toneWavBase64)));
  context.terminal.result(challenge, [...linesOf(challenge), `the tone is in ${path}`]);
  return ExitCode.ok;
}

async function run(context: VerbContext): Promise<ExitCode> {
  const { values } = context;
  if (values['price'] === true) return showPrice(context, 'bullion');
  if (values['products'] === true) return listProducts(context);
  const tone = textOption(values, 'tone');
  if (tone !== undefined) return makeTone(context, tone);
  const request = await bodyOf(context);
  return purchase(context, {
    doing: 'listening',
    request,
    buy: (client, options) => client.verifyBullion(request as VerifyBullionRequest, options),
    lines,
    keep: [{ path: textOption(values, 'svg'), contentOf: ({ spectrumSvg }) => spectrumSvg }],
  });
}

const gram = (help: string) => ({ type: 'string', placeholder: 'G', help }) as const;
const millimetre = (help: string) => ({ type: 'string', placeholder: 'MM', help }) as const;

export const bullionVerb: Verb = {
  name: 'bullion',
  summary: 'buy a ring test of a coin or bar, and its melt value',
  operands: '[PRODUCT]',
  positionalsMin: 0,
  positionalsMax: 1,
  options: {
    mass: gram('as weighed, grams'),
    recording: { type: 'string', placeholder: 'FILE', help: 'WAV of the ring, 32 kHz or more, at most 20 s' },
    peaks: { type: 'string', placeholder: 'HZ,HZ…', help: 'frequencies measured elsewhere: self-reported' },
    diameter: millimetre('diameter'),
    thickness: millimetre('thickness'),
    submerged: gram('what the scale shows with the piece hung in water'),
    'scale-accuracy': gram('how far a reading of the scale may lie off; 0.01'),
    conductivity: { type: 'string', placeholder: 'MS/M', help: 'what a conductivity meter shows, MS/m' },
    iacs: { type: 'string', placeholder: 'PERCENT', help: 'the same in percent of copper (IACS)' },
    magnet: {
      type: 'string',
      placeholder: 'NAME',
      help: 'a magnet on the tilted piece: sticks, free or slow',
    },
    metal: {
      type: 'string',
      placeholder: 'NAME',
      help: 'without PRODUCT: gold, silver, platinum, palladium',
    },
    fineness: { type: 'string', placeholder: 'N', help: 'without PRODUCT: 0.999' },
    shape: { type: 'string', placeholder: 'NAME', help: 'without PRODUCT: disc or bar' },
    length: millimetre('of a bar'),
    width: millimetre('of a bar'),
    challenge: { type: 'string', placeholder: 'ID', help: 'of the tone that was played into the recording' },
    svg: { type: 'string', placeholder: 'FILE', help: 'save a picture of the spectrum' },
    products: { type: 'boolean', help: 'list the products with reference frequencies, and buy nothing' },
    tone: { type: 'string', placeholder: 'FILE', help: 'get a challenge tone as WAV, and buy nothing' },
    ...purchaseOptions,
  },
  notes: [
    ...PURCHASE_NOTES,
    '',
    'Examples:',
    '  svc bullion krugerrand --mass 33.93 --recording ring.wav --save answer.json',
    '  svc bullion krugerrand --mass 33.93 --peaks 4406,8652,10661,18532',
    '  svc bullion --tone challenge.wav',
  ],
  run,
};

import type {
  ExtractPufRequest,
  ExtractPufResult,
  VerifySlabRequest,
  VerifySlabResult,
} from '../api-types.js';
import { encodeBase64 } from '../challenge/byte-text.js';
import { given, purchase, PURCHASE_NOTES, purchaseOptions } from './agent-purchase.js';
import { ExitCode, UsageError } from './exit-code.js';
import { readFileOrStdin } from './operand.js';
import { textOption, type Verb, type VerbContext, type VerbOption } from './verb.js';

const { price: _price, request: _request, ...buying } = purchaseOptions;

type Line = readonly [string, string];

async function imageOf({ positionals, streams }: VerbContext): Promise<string> {
  const path = positionals[1];
  if (path === undefined) throw new UsageError('FILE is missing: a PNG, JPEG, WebP or TIFF');
  return encodeBase64(await readFileOrStdin(path, streams));
}

/** `--roi 100,80,512,512`. @throws UsageError */
function roiOf({ values }: VerbContext): object | undefined {
  const text = textOption(values, 'roi');
  if (text === undefined) return undefined;
  if (!/^\d{1,5}(,\d{1,5}){3}$/.test(text)) throw new UsageError('--roi must be X,Y,WIDTH,HEIGHT in pixels');
  const [x, y, width, height] = text.split(',').map(Number);
  return { x, y, width, height };
}

function fingerprintLines(data: ExtractPufResult): Line[] {
  const { bits, usableBits, fingerprintHex, quality, pufId, residualEntropyBits, verificationToken } = data;
  return [
    ['fingerprint', `${fingerprintHex.slice(0, 64)}… (use --json or --save)`],
    ['bits', `${bits}, of which ${usableBits} are usable`],
    [
      'quality',
      `contrast ${quality.contrast.toFixed(2)}, grains of ${quality.speckleSizePx.toFixed(1)} px, ${quality.saturatedPct.toFixed(1)} % saturated`,
    ],
    ...(pufId === undefined
      ? [['kept', 'no: --enrol keeps it, with a key'] as const]
      : [['kept as', pufId] as const]),
    ...(verificationToken === undefined
      ? []
      : [['token', `${verificationToken}: whoever has it may ask whether a piece is this one`] as const]),
    ...(residualEntropyBits === undefined
      ? []
      : [
          [
            'key',
            `about ${Math.floor(residualEntropyBits)} bits that the helper data leaves unknown`,
          ] as const,
        ]),
  ];
}

async function extract(context: VerbContext): Promise<ExitCode> {
  const { values } = context;
  const request = {
    imageBase64: await imageOf(context),
    modality: textOption(values, 'modality') ?? 'laser_speckle',
    ...given({
      roi: roiOf(context),
      enroll: values['enrol'] === true ? true : undefined,
      slabId: textOption(values, 'slab'),
    }),
  } as ExtractPufRequest;
  return purchase<ExtractPufResult>(context, {
    doing: 'reading the surface',
    request: { ...request },
    buy: (client, options) => client.extractPuf(request, options),
    lines: fingerprintLines,
    keep: [
      { path: textOption(values, 'helper'), contentOf: ({ helperData }) => helperData && `${helperData}\n` },
    ],
  });
}

function verdictLines(data: VerifySlabResult): Line[] {
  const { verdict, reason, pufId, enrolledAt } = data;
  return [
    ['verdict', reason === undefined ? verdict : `${verdict}: ${reason}`],
    ...figureLines(data),
    ['held against', `${pufId}, enrolled ${enrolledAt}`],
    ...(data.keyReproduced === undefined
      ? []
      : [['key', data.keyReproduced ? 'came out again' : 'did not come out'] as const]),
  ];
}

/** None for whoever is not the owner. */
function figureLines({
  fhd,
  usableBits,
  threshold,
  falseMatchProbability,
  alignment,
}: VerifySlabResult): Line[] {
  const lines: Line[] = [];
  if (fhd !== undefined && threshold !== undefined)
    lines.push(['distance', `${fhd.toFixed(4)} over ${usableBits} bits, threshold ${threshold.toFixed(4)}`]);
  if (falseMatchProbability !== undefined) lines.push(['by chance', falseMatchProbability.toExponential(1)]);
  if (alignment !== undefined) {
    const { shiftXPx, shiftYPx, rotationDeg } = alignment;
    lines.push([
      'alignment',
      `${shiftXPx.toFixed(1)}, ${shiftYPx.toFixed(1)} px, ${rotationDeg.toFixed(2)} degrees`,
    ]);
  }
  return lines;
}

async function verify(context: VerbContext): Promise<ExitCode> {
  const { values, streams } = context;
  const helperPath = textOption(values, 'helper');
  const helper = helperPath === undefined ? undefined : await readFileOrStdin(helperPath, streams);
  const request = {
    imageBase64: await imageOf(context),
    ...given({
      slabId: textOption(values, 'slab'),
      pufId: textOption(values, 'puf'),
      roi: roiOf(context),
      helperData: helper && Buffer.from(helper).toString('utf8').trim(),
      verificationToken: textOption(values, 'token'),
    }),
  } as VerifySlabRequest;
  return purchase<VerifySlabResult>(context, {
    doing: 'comparing',
    request: { ...request },
    buy: (client, options) => client.verifySlab(request, options),
    lines: verdictLines,
  });
}

const text = (placeholder: string, help: string): VerbOption => ({ type: 'string', placeholder, help });

export const speckleVerb: Verb = {
  name: 'speckle',
  summary: 'read the fingerprint of a surface; compare a piece with it',
  operands: 'extract | verify FILE',
  positionalsMin: 2,
  positionalsMax: 2,
  options: {
    modality: text('NAME', 'laser_speckle (default), paper_texture or surface_texture'),
    roi: text('X,Y,W,H', 'pixels of the image (default: the middle of it)'),
    enrol: { type: 'boolean', help: 'of extract: keep the fingerprint; needs a key' },
    slab: text('ID', 'your name of the piece: the first account that enrols it keeps it'),
    puf: text('ID', 'of verify: the enrolment, in the place of the piece'),
    token: text('TOKEN', 'of verify, where the piece is another’s: its owner hands it out'),
    helper: text('FILE', 'save the helper data of enrolment there; of verify: send it along'),
    ...buying,
  },
  notes: [
    ...PURCHASE_NOTES,
    'Within the month’s requests of the key, or of the address, a call costs nothing.',
    'What has to be held constant between two pictures, and what a match shows: docs/speckle.md.',
    '',
    'Examples:',
    '  svc speckle extract slab.png --enrol --slab bar-0017 --save enrolled.json',
    '  svc speckle verify again.png --slab bar-0017',
    '  svc speckle verify bought.png --slab bar-0017 --token slv_…',
  ],
  run(context) {
    const [what] = context.positionals;
    if (what === 'extract') return extract(context);
    if (what === 'verify') return verify(context);
    throw new UsageError('say extract or verify, and FILE');
  },
};

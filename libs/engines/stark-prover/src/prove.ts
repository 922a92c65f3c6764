import { concatBytes, type Ext, extToBytes, rootOfCap } from '@svc/kernels';
import type { Air } from '@svc/stark-air';
import {
  checkParameters,
  distinctAscending,
  encodeContextDomain,
  encodeHeader,
  encodeNonce,
  fitsAir,
  foldedSlots,
  openedLeaves,
  ParameterError,
  positionBits,
  type ProofParameters,
  type ProofGeometry,
  proofGeometry,
  type SecurityFigures,
  securityOf,
  startTranscript,
  TranscriptTag,
  withoutFolds,
} from '@svc/stark-verifier';
import type { ProverBackend, ProverSession, TreeOpening } from './backend.js';
import { fieldOperations } from './field-ops.js';
import { drawMasks, type RandomSource, systemRandomSource } from './masks.js';
import { referenceProverBackend } from './reference-backend.js';

/** The stages of a proof in order; `fri` is every fold and layer commitment. */
export const PROVER_STAGES = [
  'execute',
  'commit-trace',
  'commit-composition',
  'out-of-domain',
  'deep',
  'fri',
  'grind',
  'open',
] as const;
export type ProverStage = (typeof PROVER_STAGES)[number];

export interface ProveOptions<PublicInputs, Witness> {
  readonly air: Air<PublicInputs, Witness>;
  readonly witness: Witness;
  readonly parameters: ProofParameters;
  /** Bound by the transcript: a proof for one context is worthless in another. Default: empty. */
  readonly contextDomain?: string;
  /** Default: the reference backend. */
  readonly backend?: ProverBackend;
  /** Masks of a proof in zero knowledge come from it. Default: the platform's cryptographic generator. */
  readonly random?: RandomSource;
  /** Checked between stages. */
  readonly signal?: AbortSignal;
  /** Called as each stage begins. */
  readonly onStage?: (stage: ProverStage) => void;
}

export interface ProveResult<PublicInputs> extends SecurityFigures {
  readonly proof: Uint8Array;
  readonly airId: string;
  readonly publicInputs: PublicInputs;
  readonly parameters: ProofParameters;
  readonly traceLength: number;
  /** Additions and multiplications of the base field, by the closed formula of field-ops.ts. */
  readonly fieldOps: number;
  /** Bytes of the FRI section: layer caps, final polynomial, nonce and every opening. */
  readonly friBytes: number;
  /** Merkle root of the trace, `0x` and 64 hexadecimal digits. */
  readonly starkRootCommitment: string;
  readonly stageMs: Readonly<Record<ProverStage, number>>;
}

/**
 * Runs an AIR's computation and proves it (docs/stark-format.md). The same input and, in zero knowledge, the same
 * random bytes give the same proof on every backend.
 * @throws ParameterError, ContextDomainError, WitnessError on bad input; the signal's reason when aborted
 */
export async function prove<PublicInputs, Witness>(
  options: ProveOptions<PublicInputs, Witness>,
): Promise<ProveResult<PublicInputs>> {
  const {
    air,
    witness,
    parameters,
    contextDomain = '',
    backend = referenceProverBackend(),
    random = systemRandomSource,
    signal,
  } = options;
  checkParameters(parameters);
  checkFit(parameters, air);
  encodeContextDomain(contextDomain);
  signal?.throwIfAborted();
  const geometry = proofGeometry(parameters, air);
  const clock = new StageClock(options.onStage, signal);
  const session = await backend.begin({ air, witness, parameters, ...(signal ? { signal } : {}) });
  try {
    const publicInputs = await clock.run('execute', () => session.execute(drawMasks(geometry, random)));
    const transcript = startTranscript(air, publicInputs, parameters, contextDomain);
    const sections = await runProtocol(session, publicInputs, geometry, parameters, transcript, clock);
    const constraintCount =
      air.transitionNames.length + air.boundaryConstraints(publicInputs, geometry.rowCount).length;
    const { columnCount, chunkCount } = geometry;
    const { constraintDegree } = air;
    const { additions, multiplications } = fieldOperations(air, publicInputs, parameters);
    return {
      proof: concatBytes(encodeHeader(parameters), ...sections.commitments, ...sections.fri),
      airId: air.id,
      publicInputs,
      parameters,
      traceLength: parameters.traceLength,
      fieldOps: additions + multiplications,
      friBytes: sections.fri.reduce((sum, part) => sum + part.length, 0),
      starkRootCommitment: toHex(rootOfCap(sections.commitments[0])),
      ...securityOf({ ...parameters, columnCount, chunkCount, constraintCount, constraintDegree }),
      stageMs: clock.stageMs(),
    };
  } finally {
    await session.dispose();
  }
}

function checkFit(
  parameters: ProofParameters,
  air: Pick<Air, 'id' | 'traceLengthMin' | 'zeroKnowledge'>,
): void {
  if (fitsAir(parameters, air)) return;
  const { traceLength, zeroKnowledge } = parameters;
  if (traceLength < air.traceLengthMin) {
    throw new ParameterError('traceLength', `at least ${air.traceLengthMin}`, traceLength);
  }
  throw new ParameterError('zeroKnowledge', `as ${air.id} has it: ${air.zeroKnowledge}`, zeroKnowledge);
}

interface ProofSections {
  /** Trace cap, composition cap, out-of-domain values. */
  readonly commitments: readonly Uint8Array[];
  readonly fri: readonly Uint8Array[];
}

// Every message of section 5 in order, from the trace's commitment to the openings.
async function runProtocol<PublicInputs>(
  session: ProverSession<PublicInputs>,
  publicInputs: PublicInputs,
  geometry: ProofGeometry,
  { queryCount, grindingBits }: ProofParameters,
  transcript: ReturnType<typeof startTranscript>,
  clock: StageClock,
): Promise<ProofSections> {
  const { profile } = geometry;
  const { degree } = profile.extension;
  const toBytes = (elements: readonly Ext[]) => extToBytes(elements, profile.base);
  const traceCap = await clock.run('commit-trace', () => session.commitTrace());
  transcript.absorb(TranscriptTag.traceCap, traceCap);
  const alpha = transcript.drawExtension(degree);
  const { cap, overflow } = await clock.run('commit-composition', () =>
    session.commitComposition(publicInputs, alpha),
  );
  const composition = concatBytes(cap, toBytes(overflow));
  transcript.absorb(TranscriptTag.compositionCap, composition);
  const point = profile.drawPoint(transcript, geometry);
  const values = await clock.run('out-of-domain', () => session.evaluateOutOfDomain(point));
  const outOfDomain = toBytes([...values.traceAtZ, ...values.traceAtZNext, ...values.compositionAtZ]);
  transcript.absorb(TranscriptTag.outOfDomain, outOfDomain);

  const gamma = transcript.drawExtension(degree);
  await clock.run('deep', () => session.startFri(point, gamma, values));
  const fri: Uint8Array[] = [];
  for (let layer = 1; layer < geometry.foldCount; layer++) {
    const lambda = transcript.drawExtension(degree);
    const layerCap = await clock.run('fri', () => session.foldLayer(lambda));
    transcript.absorb(TranscriptTag.layerCap, layerCap);
    fri.push(layerCap);
  }
  const lastLambda = transcript.drawExtension(degree);
  const finalPolynomial = toBytes(await clock.run('fri', () => session.foldFinal(lastLambda)));
  transcript.absorb(TranscriptTag.finalPolynomial, finalPolynomial);

  const seed = transcript.digest();
  const nonce = encodeNonce(await clock.run('grind', () => session.grind(seed, grindingBits)));
  transcript.absorb(TranscriptTag.nonce, nonce);
  const positions = distinctAscending(transcript.drawPositions(queryCount, positionBits(geometry)));
  const openings = await clock.run('open', () => session.open(positions));
  fri.push(finalPolynomial, nonce, ...serialiseOpenings(geometry, positions, openings));
  return { commitments: [traceCap, composition, outOfDomain], fri };
}

// Leaves and nodes of every tree; of a layer's leaves only what the verifier does not fold itself.
function serialiseOpenings(
  geometry: ProofGeometry,
  positions: readonly number[],
  openings: readonly TreeOpening[],
): Uint8Array[] {
  const opened = openedLeaves(geometry, positions);
  return openings.flatMap(({ leaves, nodes }, tree) => {
    const layer = tree - 1;
    if (layer < 1) return [leaves, nodes];
    const slots = foldedSlots(geometry, layer, opened[layer - 1], opened[layer]);
    return [withoutFolds(geometry, slots, leaves), nodes];
  });
}

/** Measures stages, announces them, and stops between them when aborted. */
class StageClock {
  private readonly elapsedMs = new Map<ProverStage, number>();

  constructor(
    private readonly onStage: ((stage: ProverStage) => void) | undefined,
    private readonly signal: AbortSignal | undefined,
  ) {}

  async run<T>(stage: ProverStage, work: () => Promise<T>): Promise<T> {
    this.signal?.throwIfAborted();
    const before = this.elapsedMs.get(stage);
    if (before === undefined) this.onStage?.(stage);
    // Whoever is told may abort.
    this.signal?.throwIfAborted();
    const startMs = performance.now();
    const result = await work();
    this.elapsedMs.set(stage, (before ?? 0) + performance.now() - startMs);
    return result;
  }

  stageMs(): Record<ProverStage, number> {
    const entries = PROVER_STAGES.map(stage => [stage, this.elapsedMs.get(stage) ?? 0]);
    return Object.fromEntries(entries) as Record<ProverStage, number>;
  }
}

function toHex(bytes: Uint8Array): string {
  return `0x${[...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('')}`;
}

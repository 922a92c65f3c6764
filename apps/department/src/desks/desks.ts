import {
  AcousticChallengeRequest,
  ActiveInferenceRequest,
  CardValuationRequest,
  CoiVerifyRequest,
  DemodulateRequest,
  ExtractPufRequest,
  ModulateRequest,
  type Procedure,
  proverContract,
  ProveRequest,
  RendezvousRequest,
  SnnRequest,
  SolveGraphRequest,
  starkProveContract,
  StarkProveM31Request,
  StarkProveRequest,
  TOOL_RUNNERS,
  type ToolName,
  TOOLS,
  VerifyBullionRequest,
  VerifyPairingRequest,
  VerifySlabRequest,
} from '@svc/contracts';
import { z } from 'zod';
import type { Capability, Computation, DeptId, SoundWork, SurfaceWork } from './capability.js';

type Entry = Omit<Capability, 'deptId'>;

/** What a desk is, but for its state. */
export interface Desk {
  readonly deptId: DeptId;
  readonly name: string;
  readonly description: string;
  readonly capabilities: readonly Capability[];
}

const proof = (name: string, input: z.ZodType, admit: Procedure, prove: Procedure): Entry => ({
  ...{ name, operationId: name, input, service: 'prover' },
  engine: { kind: 'proof', admit, prove },
});

/** A tool of the catalogue, by the service that runs it; where it is a saga, on a ticket. */
const tool = (name: ToolName, kind: 'tool' | 'saga' = 'tool'): Entry => ({
  ...{ name, operationId: `tool.${name}`, input: TOOLS[name].input, service: TOOL_RUNNERS[name] },
  engine: { kind, tool: name },
});

const agent = (
  name: string,
  operationId: string,
  input: z.ZodType,
  by: 'bullion' | 'cards' | 'certificates',
): Entry => ({ name, operationId, input, service: 'department', engine: { kind: 'agent', agent: by } });

/** Computed by the service of networks and inference. */
const computed = (name: string, input: z.ZodType, work: Computation): Entry => ({
  ...{ name, operationId: name, input, service: 'snn' },
  engine: { kind: 'compute', work },
});

/** A picture of a surface, looked at by this service. */
const surface = (name: string, input: z.ZodType, work: SurfaceWork): Entry => ({
  ...{ name, operationId: name, input, service: 'department' },
  engine: { kind: 'surface', work },
});

/** The service beneath reads it, beside its own event loop: it is long. */
const UNREAD = z.record(z.string(), z.unknown());

/** Made, heard and paired by the acoustic service. */
const sound = (name: string, input: z.ZodType, work: SoundWork): Entry => ({
  ...{ name, operationId: name, input, service: 'acoustic' },
  engine: { kind: 'sound', work },
});

/** Two peers brought together by the mesh service. */
const rendezvous = (name: string, input: z.ZodType): Entry => ({
  ...{ name, operationId: name, input, service: 'mesh-signalling' },
  engine: { kind: 'rendezvous' },
});

const desk = (deptId: DeptId, name: string, description: string, entries: readonly Entry[]): Desk => ({
  ...{ deptId, name, description },
  capabilities: entries.map(entry => Object.freeze({ ...entry, deptId })),
});

/** The desks, and what each does: the one table of them. */
export const DESKS: readonly Desk[] = [
  desk('proofs', 'Proofs', 'Makes STARK proofs of executions and of statements.', [
    proof('zk.prove', ProveRequest, proverContract.admit, proverContract.prove),
    proof(
      'stark.prove-goldilocks',
      StarkProveRequest,
      starkProveContract.admitGoldilocks,
      starkProveContract.proveGoldilocks,
    ),
    proof('stark.prove-m31', StarkProveM31Request, starkProveContract.admitM31, starkProveContract.proveM31),
    tool('zk_prove_spatial'),
    tool('generate_goldilocks_stark_proof'),
  ]),
  desk('neuro', 'Neuromorphic', 'Simulates spiking networks, and solves graphs with spikes.', [
    computed('snn.solve', SnnRequest, 'simulation'),
    { ...computed('snn.solve-graph', SolveGraphRequest, 'graph'), read: UNREAD },
    tool('webgpu_snn_attractor'),
  ]),
  desk('acoustics', 'Acoustics', 'Makes and reads sounds that carry data, and pairs devices by them.', [
    sound('acoustic.modulate', ModulateRequest, 'modulate'),
    sound('acoustic.demodulate', DemodulateRequest, 'demodulate'),
    sound('acoustic.challenge', AcousticChallengeRequest, 'challenge'),
    sound('acoustic.verify-pairing', VerifyPairingRequest, 'pairing'),
    tool('verify_acoustic_proximity_token'),
  ]),
  desk('mesh', 'Mesh', 'Brings peers together, and keeps what they agree on.', [
    rendezvous('mesh.rendezvous', RendezvousRequest),
    tool('sync_mesh_crdt'),
  ]),
  desk('payments', 'Payments', 'Sells plans, and says what everything costs.', [
    tool('get_product_catalog'),
    tool('create_purchase_link'),
  ]),
  desk('compliance', 'Compliance', 'Audits certificates of insurance against requirements.', [
    agent('coi.verify', 'agent.coi-verify', CoiVerifyRequest, 'certificates'),
  ]),
  desk('valuation', 'Valuation', 'Tests bullion by its ring, and values graded cards by their sales.', [
    agent('bullion.verify', 'agent.verify-bullion', VerifyBullionRequest, 'bullion'),
    agent('cards.value', 'agent.card-valuation', CardValuationRequest, 'cards'),
  ]),
  desk('authentication', 'Authentication', 'Knows a slab again by the speckle of its surface.', [
    surface('speckle.extract-puf', ExtractPufRequest, 'extract'),
    surface('speckle.verify-slab', VerifySlabRequest, 'verify'),
  ]),
  desk(
    'parcels',
    'Parcels',
    'Evaluates parcels of land by variational free energy, and infers states and actions by it.',
    [
      tool('evaluate_spatial_parcel_fep'),
      { ...computed('fep.active-inference', ActiveInferenceRequest, 'inference'), read: UNREAD },
    ],
  ),
  desk('licensing', 'Licensing', 'Issues licences from machine to machine, as sagas.', [
    tool('m2m_license_contract', 'saga'),
  ]),
];

const byId = new Map(DESKS.map(one => [one.deptId, one]));

export const deskOf = (deptId: DeptId): Desk => byId.get(deptId)!;

/** The capability of a name; without one, the first of the desk. */
export function capabilityOf({ capabilities }: Desk, name: string | undefined): Capability | undefined {
  return name === undefined ? capabilities[0] : capabilities.find(one => one.name === name);
}

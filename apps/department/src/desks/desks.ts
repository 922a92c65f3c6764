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
  type ServiceName,
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
import type { z } from 'zod';
import type { Capability, DeptId, Engine } from './capability.js';

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

/** The sagas' service runs it, where nothing else says who does. */
function tool(name: ToolName, service: ServiceName, kind: 'tool' | 'saga' = 'tool'): Entry {
  const runner = TOOL_RUNNERS[name];
  const engine = runner && { engine: { kind, tool: name } as Engine };
  return {
    name,
    operationId: `tool.${name}`,
    input: TOOLS[name].input,
    service: runner ?? service,
    ...engine,
  };
}

const agent = (
  name: string,
  operationId: string,
  input: z.ZodType,
  by: 'bullion' | 'cards' | 'certificates',
): Entry => ({ name, operationId, input, service: 'department', engine: { kind: 'agent', agent: by } });

const withoutEngine = (name: string, input: z.ZodType, service: ServiceName): Entry => ({
  ...{ name, operationId: name, input, service },
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
    tool('zk_prove_spatial', 'prover'),
    tool('generate_goldilocks_stark_proof', 'prover'),
  ]),
  desk('neuro', 'Neuromorphic', 'Runs spiking networks.', [
    withoutEngine('snn.solve', SnnRequest, 'snn'),
    withoutEngine('snn.solve-graph', SolveGraphRequest, 'snn'),
    tool('webgpu_snn_attractor', 'snn'),
  ]),
  desk('acoustics', 'Acoustics', 'Makes and reads sounds that carry data, and pairs devices by them.', [
    withoutEngine('acoustic.modulate', ModulateRequest, 'acoustic'),
    withoutEngine('acoustic.demodulate', DemodulateRequest, 'acoustic'),
    withoutEngine('acoustic.challenge', AcousticChallengeRequest, 'acoustic'),
    withoutEngine('acoustic.verify-pairing', VerifyPairingRequest, 'acoustic'),
    tool('verify_acoustic_proximity_token', 'acoustic'),
  ]),
  desk('mesh', 'Mesh', 'Brings peers together, and keeps what they agree on.', [
    withoutEngine('mesh.rendezvous', RendezvousRequest, 'mesh-signalling'),
    tool('sync_mesh_crdt', 'mesh-signalling'),
  ]),
  desk('payments', 'Payments', 'Sells plans, and says what everything costs.', [
    tool('get_product_catalog', 'payments'),
    tool('create_purchase_link', 'payments'),
  ]),
  desk('compliance', 'Compliance', 'Audits certificates of insurance against requirements.', [
    agent('coi.verify', 'agent.coi-verify', CoiVerifyRequest, 'certificates'),
  ]),
  desk('valuation', 'Valuation', 'Tests bullion by its ring, and values graded cards by their sales.', [
    agent('bullion.verify', 'agent.verify-bullion', VerifyBullionRequest, 'bullion'),
    agent('cards.value', 'agent.card-valuation', CardValuationRequest, 'cards'),
  ]),
  desk('authentication', 'Authentication', 'Knows a slab again by the speckle of its surface.', [
    withoutEngine('speckle.extract-puf', ExtractPufRequest, 'department'),
    withoutEngine('speckle.verify-slab', VerifySlabRequest, 'department'),
  ]),
  desk('parcels', 'Parcels', 'Evaluates parcels of land by variational free energy.', [
    tool('evaluate_spatial_parcel_fep', 'snn'),
    withoutEngine('fep.active-inference', ActiveInferenceRequest, 'snn'),
  ]),
  desk('licensing', 'Licensing', 'Issues licences from machine to machine, as sagas.', [
    tool('m2m_license_contract', 'payments', 'saga'),
  ]),
];

const byId = new Map(DESKS.map(one => [one.deptId, one]));

export const deskOf = (deptId: DeptId): Desk => byId.get(deptId)!;

/** The capability of a name; without one, the first of the desk that has an engine, else its first. */
export function capabilityOf({ capabilities }: Desk, name: string | undefined): Capability | undefined {
  if (name === undefined) return capabilities.find(({ engine }) => engine) ?? capabilities[0];
  return capabilities.find(capability => capability.name === name);
}

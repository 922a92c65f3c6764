import {
  type DEPARTMENT_IDS,
  type Procedure,
  type ServiceName,
  SNN_RUN_MS_MAX,
  type ToolName,
} from '@svc/contracts';
import type { z } from 'zod';

export type DeptId = (typeof DEPARTMENT_IDS)[number];

/** What the service of networks and inference computes. */
export type Computation = 'simulation' | 'graph' | 'inference';

/** What is done with a picture of a surface. */
export type SurfaceWork = 'extract' | 'verify';

/** What is done with sounds that carry data. */
export type SoundWork = 'modulate' | 'demodulate' | 'challenge' | 'pairing';

/** What does the work of a capability. */
export type Engine =
  | { readonly kind: 'proof'; readonly admit: Procedure; readonly prove: Procedure }
  /** A tool of another service, known again by its idempotency key. */
  | { readonly kind: 'tool'; readonly tool: ToolName }
  /** A computation of the service of networks and inference, which knows nothing of it afterwards. */
  | { readonly kind: 'compute'; readonly work: Computation }
  /** Packets and pairings, by the acoustic service. */
  | { readonly kind: 'sound'; readonly work: SoundWork }
  /** An answer to an offer, by the mesh service. */
  | { readonly kind: 'rendezvous' }
  /** A reading of a surface, by this service. */
  | { readonly kind: 'surface'; readonly work: SurfaceWork }
  /** A tool that runs as a saga on an execution ticket. */
  | { readonly kind: 'saga'; readonly tool: ToolName }
  /** An agent of this service. */
  | { readonly kind: 'agent'; readonly agent: 'bullion' | 'cards' | 'certificates' };

/** One thing that a desk does. */
export interface Capability {
  readonly name: string;
  readonly deptId: DeptId;
  /** What is paid for, as the price list has it. */
  readonly operationId: string;
  /** Inputs: `task` of the request. */
  readonly input: z.ZodType;
  /** What the desk reads them with, where it does not look at each of very many: the service beneath does, packed or not. */
  readonly read?: z.ZodType;
  /** The service without which it cannot be done. */
  readonly service: ServiceName;
  readonly engine: Engine;
}

/** For how long work is tried again that there is no room for, milliseconds. */
const PATIENCE_MS = 60_000;

/** A computation may wait behind one that takes the whole machine for as long as any may run. */
export const patienceMsOf = (engine: Engine): number =>
  engine.kind === 'compute' ? SNN_RUN_MS_MAX : PATIENCE_MS;

/** How a capability is paid: see `departmentTaskContract.admitTask`. */
export const paidByOf = ({ engine }: Capability): 'claim' | 'ticket' =>
  engine.kind === 'saga' ? 'ticket' : 'claim';

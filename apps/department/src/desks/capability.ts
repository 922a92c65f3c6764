import type { DEPARTMENT_IDS, Procedure, ServiceName, ToolName } from '@svc/contracts';
import type { z } from 'zod';

export type DeptId = (typeof DEPARTMENT_IDS)[number];

/** What does the work of a capability. */
export type Engine =
  | { readonly kind: 'proof'; readonly admit: Procedure; readonly prove: Procedure }
  /** A tool of another service, known again by its idempotency key. */
  | { readonly kind: 'tool'; readonly tool: ToolName }
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
  /** The service without which it cannot be done. */
  readonly service: ServiceName;
  /** Not there: listed, and refused before any payment. */
  readonly engine?: Engine;
}

/** How a capability is paid: see `departmentTaskContract.admitTask`. */
export const paidByOf = ({ engine }: Capability): 'claim' | 'ticket' =>
  engine?.kind === 'saga' ? 'ticket' : 'claim';

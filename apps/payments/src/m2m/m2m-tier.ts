import { TOOLS } from '@svc/contracts';
import type { z } from 'zod';

/** A licensing tier of the tool `m2m_license_contract`. */
export type M2mTier = z.output<typeof TOOLS.m2m_license_contract.input>['licensingTier'];

/** What a tier grants, from the moment of the contract. */
export interface M2mGrant {
  /** How long; null: without end. */
  readonly validDays: number | null;
  /** Nodes of the licensee that may use it. */
  readonly nodesMax: number;
  /** Whether the licensee may pass it on. */
  readonly sublicense: boolean;
  /** Whether it covers one place of the contract's stream, and use goes on with a licence of the next. */
  readonly metered: boolean;
}

/** The tiers, and what each grants. */
export const M2M_TIERS: Readonly<Record<M2mTier, M2mGrant>> = {
  m2m_autonomous_perpetual: { validDays: null, nodesMax: 1, sublicense: false, metered: false },
  m2m_continuous_metered: { validDays: 30, nodesMax: 1, sublicense: false, metered: true },
  m2m_enterprise_mesh: { validDays: 365, nodesMax: 1_000, sublicense: true, metered: false },
};

const SECONDS_A_DAY = 86_400;

/** When a grant that begins then ends, Unix seconds; null: never. */
export const grantEnd = ({ validDays }: M2mGrant, iat: number): number | null =>
  validDays === null ? null : iat + validDays * SECONDS_A_DAY;

import type { JsonObject } from '@svc/durability';
import { canonicalJson } from '@svc/protocols';
import type { M2mEntry } from './m2m-contracts.js';

/** What a sale grants, as its contract and its answer say it. */
export const grantOf = ({ licence: { exp, nodesMax, sublicense, metered } }: M2mEntry): JsonObject => ({
  exp,
  nodesMax,
  sublicense,
  metered,
});

/** The contract of a sale, as its answer says it. */
export function contractOf(entry: M2mEntry): JsonObject {
  const { contract: contractId, licensee, tier, capability, streamIndex, iat, saga } = entry.licence;
  const parties = { contractId, licensee, tier, capability, streamIndex };
  return { ...parties, grant: grantOf(entry), saga, amountMicroUsd: entry.amountMicroUsd, iat };
}

/** What is proved of a contract: the UTF-8 of its canonical JSON (RFC 8785), which whoever has the contract can make. */
export const contractBytes = (contract: JsonObject): Uint8Array =>
  Buffer.from(canonicalJson(contract), 'utf8');

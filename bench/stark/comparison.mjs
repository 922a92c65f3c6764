// Who is compared: the same AIR, blowup, queries and grinding for all.
import { COMPARISON_SET, PARAMETER_SETS } from '@svc/stark-verifier';
import { buildPeer, ours, peer } from './contenders.mjs';
import { compare } from './rounds.mjs';

const BLOWUP = 8;
const QUERIES = 42;
const GRINDING_BITS = 16;
const CUBIC8 = {
  airId: 'raw/cubic8/v1',
  witness: { inputs: { input: ['1', '2', '3', '4', '5', '6', '7', '8'] } },
};
const HASH_CHAIN = { airId: 'hash-chain/v1', witness: { traceData: '0x68656c6c6f' } };

/** @returns {Record<string, import('./contenders.mjs').Contender[]>} by the table that they stand in; the peer comes first */
export function contenders(report, { smoke, warmup }) {
  const [winterfell, plonky3] = ['winterfell', 'plonky3'].map(name =>
    smoke ? report.leftOut(name, 'needs Rust') : buildPeer(name, report),
  );
  const peers = (program, name, ...arguments_) =>
    program
      ? [GRINDING_BITS, 0].map(bits => peer(`${name}, ${bits} bits`, program, arguments_, QUERIES, bits))
      : [];
  const cubic8 = (name, set, zeroKnowledge = false) =>
    ours(name, { ...CUBIC8, warmup, blowup: BLOWUP, zeroKnowledge, set });
  const comparison = (profile, grindingBits = GRINDING_BITS) => ({
    ...COMPARISON_SET,
    profile,
    grindingBits,
    queryCounts: { [BLOWUP]: QUERIES },
  });
  const hashChain = set =>
    ours(`hash-chain/v1, ${set.id}`, { ...HASH_CHAIN, warmup, blowup: BLOWUP, zeroKnowledge: false, set });
  const { P100, m31 } = PARAMETER_SETS;
  return {
    'cubic8, Goldilocks': [
      ...peers(winterfell, 'Winterfell GL², BLAKE3'),
      ...peers(plonky3, 'Plonky3 GL², Keccak', 'goldilocks'),
      cubic8('ours GL², 16 bits', comparison('gl2')),
      cubic8('ours GL², 0 bits', comparison('gl2', 0)),
      cubic8('ours GL³, 16 bits', comparison('gl3')),
      cubic8('ours GL², 16 bits, zero knowledge', comparison('gl2'), true),
    ],
    'cubic8, M31': [
      ...peers(plonky3, 'Plonky3 M31³ circle, Keccak', 'circle'),
      cubic8('ours QM31 circle, 16 bits', comparison('m31')),
      cubic8('ours QM31 circle, 0 bits', comparison('m31', 0)),
      cubic8('ours QM31 circle, 16 bits, zero knowledge', comparison('m31'), true),
    ],
    'published sets': [
      cubic8('cubic8, P100', P100),
      cubic8('cubic8, P100, zero knowledge', P100, true),
      hashChain(P100),
      hashChain(m31),
    ],
  };
}

/** Builds the peers that can be built, and compares; `tables` is a part of the titles to keep. */
export async function benchComparison(report, { tables, ...options }) {
  const chosen = Object.entries(contenders(report, options)).filter(([title]) => title.includes(tables));
  await compare(report, chosen, options);
}

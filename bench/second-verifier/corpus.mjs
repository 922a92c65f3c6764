// Claims for two verifiers to agree on: honest proofs of every AIR and of definitions, under every parameter set, and mutated ones.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findAir, preimageDigest } from '@svc/stark-air';
import { UP_AND_SQUARE } from '@svc/stark-air/testing';
import { prove } from '@svc/stark-prover';
import { createWasmBackend } from '@svc/stark-prover/node';
import {
  FORMAT_VERSIONS,
  PARAMETER_SETS,
  parametersOf,
  setParameters,
  traceLengthFor,
  usableRowCount,
} from '@svc/stark-verifier';
import { draw, numbers, pick, seedWith } from './draw.mjs';
import { BESIDE_MUTATIONS, OWN_MUTATIONS } from './own-mutations.mjs';
import { drawOwnStatement, spelledOtherwise } from './own-statements.mjs';

const LENGTHS = [64, 128, 256, 512, 1024, 2048, 4096];
/** Two and three committed layers; one proof in {@link LONG_EVERY}. */
const LONG_LENGTHS = [32_768, 65_536];
const LONG_EVERY = 40;
const FLIPPED_BITS = 'flipped bit';

/** Of honest claims one in so many is under a definition of somebody else. */
const OWN_EVERY = 3;

function drawBinding(contextDomain) {
  return { contextDomain, publicInputs: numbers(draw(5)), privateWitness: numbers(draw(4)) };
}

function drawPreimage(contextDomain, field) {
  const privateWitness = numbers(1 + draw(3));
  return { contextDomain, privateWitness, digest: preimageDigest(field, contextDomain, privateWitness) };
}

/** Witnesses by AIR, as each one's `witnessFromJson` reads them. */
const WITNESSES = {
  'hash-chain/v1': () => ({ traceData: pick(['0x', 'text ']) === '0x' ? '0x00ff17' : `text ${draw(1e9)} …` }),
  'binding/v2': drawBinding,
  'preimage/v2': drawPreimage,
  'binding/v1': drawBinding,
  'preimage/v1': drawPreimage,
  'spatial-box/v1': () => ({
    coordinates: [draw(180) - 90, draw(360) - 180],
    parcelId: `P-${draw(1e6)}`,
    ...(draw(2) ? { altitude: draw(4000) } : {}),
  }),
  'rules/v1': () => ({ leaves: Array.from({ length: 1 + draw(7) }, drawRulesLeaf) }),
  'raw/fibonacci/v1': () => ({ inputs: { first: draw(1e9), second: draw(1e9) } }),
  'raw/counter/v1': () => ({ inputs: { start: draw(1e9), step: draw(1e9), rows: 2 + draw(50) } }),
  'raw/cubic8/v1': () => ({ inputs: { input: numbers(8) } }),
  'raw/lif-step/v1': () => ({
    inputs: {
      decay: draw(4096),
      threshold: 1000 + draw(2000),
      reset: -draw(3000),
      refractorySteps: draw(4),
      initialPotential: draw(500),
      currents: Array.from({ length: 40 }, () => draw(3000) - 700),
    },
  }),
};

function drawRulesLeaf() {
  const bytes = count => Uint8Array.from({ length: count }, () => draw(256));
  const salt = bytes(16);
  // Both words below p.
  salt[7] = salt[15] = 1;
  const rules = Array.from({ length: draw(19) }, () => {
    const [value, threshold] = [BigInt(draw(2 ** 40)) - 2n ** 39n, BigInt(draw(2 ** 40)) - 2n ** 39n];
    return { value, threshold, holds: value >= threshold };
  });
  return { salt, rulesetHash: bytes(32), contentDigest: bytes(32), rules };
}

const CONTEXTS = ['', 'svc/corpus', 'ümläut ✓', 'x'.repeat(256)];

function drawParameters() {
  const set = pick(Object.values(PARAMETER_SETS));
  const blowupFactor = Number(pick(Object.keys(set.queryCounts)));
  const field = set.profile === 'm31' ? 'm31' : 'goldilocks';
  return { set, blowupFactor, field };
}

const zeroKnowledgeOf = air =>
  air.zeroKnowledge === 'always' || (air.zeroKnowledge === 'optional' && draw(4) === 0);

/** The trace's length: the least, or with nothing to hide any that is drawn. */
function drawLength({ set, blowupFactor }, zeroKnowledge, air, rowsNeeded) {
  const masking = setParameters(set, blowupFactor, zeroKnowledge);
  const least = traceLengthFor(masking, rowsNeeded, air.traceLengthMin);
  return zeroKnowledge ? least : Math.max(least, pick(draw(LONG_EVERY) === 0 ? LONG_LENGTHS : LENGTHS));
}

function drawKnown() {
  const drawn = drawParameters();
  const airs = Object.keys(WITNESSES).flatMap(id => findAir(id, drawn.field) ?? []);
  const air = pick(airs);
  const zeroKnowledge = zeroKnowledgeOf(air);
  const contextDomain = pick(CONTEXTS);
  const drawnWitness = WITNESSES[air.id](contextDomain, air.field);
  const witness = air.witnessFromJson ? air.witnessFromJson(drawnWitness) : drawnWitness;
  const traceLength = drawLength(drawn, zeroKnowledge, air, air.rowsNeeded(witness));
  const formatVersion = pick(FORMAT_VERSIONS);
  return { ...drawn, air, zeroKnowledge, contextDomain, witness, traceLength, formatVersion };
}

/** A statement under a definition, of a few rows or of as many as the trace can carry. */
function drawOwn() {
  const drawn = drawParameters();
  const { text, air, rowsMin, witnessOf } = drawOwnStatement(drawn.field);
  const zeroKnowledge = zeroKnowledgeOf(air);
  const few = rowsMin + draw(60);
  const traceLength = drawLength(drawn, zeroKnowledge, air, few + 1);
  const parameters = parametersOf(drawn.set, traceLength, drawn.blowupFactor, zeroKnowledge);
  const most = usableRowCount(parameters) - 1;
  const rows = draw(8) === 0 ? pick([most, Math.max(2, rowsMin)]) : few;
  return {
    ...{ ...drawn, air, zeroKnowledge, contextDomain: pick(CONTEXTS), witness: witnessOf(rows), traceLength },
    beside: { air: draw(4) === 0 ? spelledOtherwise(text) : text },
  };
}

async function makeValid(backend, index, ownAlone) {
  const drawn = ownAlone || draw(OWN_EVERY) === 0 ? drawOwn() : drawKnown();
  const { set, blowupFactor, air, zeroKnowledge, contextDomain, witness, traceLength, formatVersion } = drawn;
  const parameters = {
    ...parametersOf(set, traceLength, blowupFactor, zeroKnowledge),
    ...(formatVersion ? { formatVersion } : {}),
  };
  const { proof, publicInputs } = await prove({ air, witness, parameters, contextDomain, backend });
  const claim = {
    airId: air.id,
    contextDomain,
    publicInputs: air.publicInputsToJson(publicInputs),
    ...drawn.beside,
  };
  return {
    id: `valid-${index}`,
    proof,
    claim,
    kind: drawn.beside ? 'valid definition' : 'valid',
    holds: true,
  };
}

/** Every way to change a claim of any statement; each returns the claim with something about it no longer true. */
const MUTATIONS = {
  [FLIPPED_BITS]: ({ proof, claim }) => ({ proof: flipBit(proof, draw(proof.length * 8)), claim }),
  'flipped header bit': ({ proof, claim }) => ({ proof: flipBit(proof, draw(160)), claim }),
  truncation: ({ proof, claim }) => ({ proof: proof.slice(0, draw(proof.length)), claim }),
  'trailing bytes': ({ proof, claim }) => ({
    proof: Uint8Array.from([...proof, ...new Uint8Array(1 + draw(40))]),
    claim,
  }),
  'swapped blocks': ({ proof, claim }) => swapBlocks(proof, claim),
  'element out of range': ({ proof, claim }) => {
    const changed = proof.slice();
    changed.fill(0xff, ...blockAt(changed, 8));
    return { proof: changed, claim };
  },
  'zeroed block': ({ proof, claim }) => {
    const changed = proof.slice();
    changed.fill(0, ...blockAt(changed, 32));
    return { proof: changed, claim };
  },
  'other context': ({ proof, claim }) => ({
    proof,
    claim: { ...claim, contextDomain: `${claim.contextDomain.slice(0, 200)}!` },
  }),
  'other AIR': ({ proof, claim }) => {
    const airId = pick(Object.keys(WITNESSES).filter(id => id !== claim.airId));
    return { proof, claim: { ...claim, airId } };
  },
  'unknown AIR': ({ proof, claim }) => ({ proof, claim: { ...claim, airId: `${claim.airId}x` } }),
  'other public inputs': ({ proof, claim }) => ({ proof, claim: changePublicInputs(claim) }),
  'missing public input': ({ proof, claim }) => {
    const publicInputs = { ...claim.publicInputs };
    delete publicInputs[pick(Object.keys(publicInputs))];
    return { proof, claim: { ...claim, publicInputs } };
  },
};

function flipBit(proof, bit) {
  const changed = proof.slice();
  changed[bit >> 3] ^= 1 << (bit & 7);
  return changed;
}

const blockAt = (proof, length) => {
  const at = 20 + draw(proof.length - 20 - length);
  return [at, at + length];
};

function swapBlocks(proof, claim) {
  const changed = proof.slice();
  const [from] = blockAt(proof, 32);
  const [to] = blockAt(proof, 32);
  changed.set(proof.slice(from, from + 32), to);
  changed.set(proof.slice(to, to + 32), from);
  return { proof: changed, claim };
}

/** Another value in one place: a list loses its last element, a number grows, a digit of a text changes. */
function changePublicInputs(claim) {
  const publicInputs = structuredClone(claim.publicInputs);
  const name = pick(Object.keys(publicInputs));
  publicInputs[name] = changeValue(publicInputs[name]);
  return { ...claim, publicInputs };
}

function changeValue(value) {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'string')
    return /[0-8]$/.test(value) ? value.replace(/.$/, d => String(+d + 1)) : `${value}0`;
  if (Array.isArray(value))
    return value.length > 0 && draw(2) ? value.slice(0, -1) : [...value.slice(1), '1'];
  return { ...value, extra: 1 };
}

const same = (a, b) =>
  Buffer.compare(a.proof, b.proof) === 0 && JSON.stringify(a.claim) === JSON.stringify(b.claim);

/** A claim changed in a way that its statement allows; half of those that any statement allows flip a bit of the proof. */
function mutate(original, texts) {
  const isOwn = original.kind === 'valid definition';
  const special = isOwn ? OWN_MUTATIONS : BESIDE_MUTATIONS;
  const ways = draw(isOwn ? 2 : 8) === 0 ? special : MUTATIONS;
  const kind = ways === MUTATIONS && draw(2) ? FLIPPED_BITS : pick(Object.keys(ways));
  return { ...ways[kind](original, pick(texts)), kind };
}

/**
 * Writes `valid` honest and `mutated` changed claims, one a line of claims.jsonl, their proofs beside it; the statements and
 * mutations follow from the seed. A claim that `holds` must be found valid.
 *
 * @param {string} folder
 * @param {{ valid: number, mutated: number, seed: number, own: boolean }} sizes `own`: definitions of other people alone
 */
export async function writeCorpus(folder, sizes) {
  seedWith(sizes.seed);
  mkdirSync(join(folder, 'proofs'), { recursive: true });
  const lines = [];
  const write = ({ id, proof, claim, kind, holds = false }) => {
    const proofFile = `proofs/${id}.bin`;
    writeFileSync(join(folder, proofFile), proof);
    lines.push(JSON.stringify({ id, proofFile, ...claim, kind, holds }));
  };
  const originals = [];
  const backend = await createWasmBackend({ threads: 2 });
  try {
    for (let i = 0; i < sizes.valid; i++) originals.push(await makeValid(backend, i, sizes.own));
  } finally {
    await backend.close();
  }
  originals.forEach(write);
  const texts = [UP_AND_SQUARE, ...originals.flatMap(({ claim }) => claim.air ?? [])];
  for (let i = 0; i < sizes.mutated;) {
    const original = pick(originals);
    const changed = mutate(original, texts);
    if (same(changed, original)) continue;
    write({ ...changed, id: `mutated-${i}` });
    i++;
  }
  writeFileSync(join(folder, 'claims.jsonl'), `${lines.join('\n')}\n`);
}

// `node our-prover.mjs '{"airId": …}'`: one contender of the comparison in a process of its own, so that its peak memory is its
// own. Proves again and again after a warm-up, checks each proof and that a false one is rejected, prints one line of JSON.
import { findAir } from '@svc/stark-air';
import { prove } from '@svc/stark-prover';
import { createWasmBackend } from '@svc/stark-prover/node';
import { leastTraceLength, parametersOf, PROFILE_FACTS, setParameters, verify } from '@svc/stark-verifier';
import { loadWasmVerifierBackend } from '@svc/stark-verifier/node';

const VERIFY_RUNS = 15;

/**
 * @typedef {object} Task
 * @property {string} airId
 * @property {unknown} witness as the AIR reads it from JSON
 * @property {import('@svc/stark-verifier').ParameterSet} set
 * @property {number} log2Rows of the trace, masks included
 * @property {number} blowup
 * @property {boolean} zeroKnowledge
 * @property {number} threads
 * @property {number} runs
 * @property {number} warmup milliseconds until WebAssembly is compiled by the optimising compiler, which a prover in service soon is
 */

/** @param {Task} task */
async function measure({ airId, witness, set, log2Rows, blowup, zeroKnowledge, threads, runs, warmup }) {
  const air = findAir(airId, PROFILE_FACTS[set.profile].base);
  if (!air) throw new Error(`no ${airId} over ${set.profile}`);
  const input = air.witnessFromJson(witness);
  const least = leastTraceLength(setParameters(set, blowup, zeroKnowledge));
  const traceLength = Math.max(2 ** log2Rows, least, air.traceLengthMin);
  const parameters = parametersOf(set, traceLength, blowup, zeroKnowledge);
  const backend = createWasmBackend({ threads });
  const verifierBackend = await loadWasmVerifierBackend();
  const policy = { parameterSets: [set], securityBitsMin: 0 };

  const run = async () => {
    const start = performance.now();
    const result = await prove({ air, witness: input, parameters, backend });
    const wholeMs = performance.now() - start;
    const publicInputs = air.publicInputsToJson(result.publicInputs);
    const claim = { proof: result.proof, airId, publicInputs };
    const verdict = verify(claim, policy, verifierBackend);
    if (!verdict.valid) throw new Error(`our proof was rejected: ${verdict.reason}`);
    const flipped = result.proof.slice();
    flipped[flipped.length - 1] ^= 1;
    if (verify({ ...claim, proof: flipped }, policy, verifierBackend).valid) {
      throw new Error('a proof with a flipped bit was accepted');
    }
    const traceMs = result.stageMs.execute;
    return { traceMs, proveMs: wholeMs - traceMs, claim, result };
  };

  try {
    await warmUp(run, warmup);
    const measured = [];
    for (let i = 0; i < runs; i++) measured.push(await run());
    const { claim } = measured[0];
    const check = () => verify(claim, policy, verifierBackend);
    await warmUp(check, warmup);
    const verifyMs = Array.from({ length: VERIFY_RUNS }, () => {
      const start = performance.now();
      check();
      return performance.now() - start;
    });
    const { securityBits, conjecturedSecurityBits } = measured[0].result;
    return {
      traceLength,
      traceMs: measured.map(({ traceMs }) => traceMs),
      proveMs: measured.map(({ proveMs }) => proveMs),
      verifyMs,
      proofBytes: Math.max(...measured.map(({ result }) => result.proof.length)),
      peakRssKib: process.resourceUsage().maxRSS,
      arenaBytes: backend.memoryBytesPeak,
      securityBits,
      conjecturedSecurityBits,
    };
  } finally {
    await backend.close();
  }
}

async function warmUp(work, milliseconds) {
  const start = performance.now();
  do await work();
  while (performance.now() - start < milliseconds);
}

process.stdout.write(`${JSON.stringify(await measure(JSON.parse(process.argv[2])))}\n`);

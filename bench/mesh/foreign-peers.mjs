import { toolCallContract } from '@svc/contracts';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { pythonOf } from '../../tools/bench/python-environment.mjs';
import { quantile } from './measured-process.mjs';

const folder = fileURLToPath(new URL('../peers/webrtc', import.meta.url));
const [PEERS, ENTRIES, MEGABYTES] = [3, 50, 4];
/** Peers that never come to one state are ended, milliseconds. */
const MEETING_MS_MAX = 120_000;
const { callTool } = toolCallContract['mesh-signalling'];

/**
 * Peers of other stacks altogether, that were written from the document alone: they connect, echo and write one document.
 *
 * @param {import('./setup.mjs').Setup} setup
 * @throws Error where their state is not the one that the service says, to the hash
 */
export async function foreignPeers({ report, edge, client, smoke }) {
  if (smoke) return report.leftOut('aiortc and pycrdt', 'need Python');
  const python = pythonOf('bench-mesh', folder);
  if (!python) return report.leftOut('aiortc and pycrdt', 'python3 could not install them');
  report.table(
    `${PEERS} peers of aiortc and pycrdt: open, ${MEGABYTES} MB of echo each, ${PEERS * ENTRIES + 1} entries`,
  );
  const program = join(folder, 'meet.py');
  const peers = spawn(python, [program, edge.address, ...[PEERS, ENTRIES, MEGABYTES].map(String)], {
    ...{ timeout: MEETING_MS_MAX, stdio: ['pipe', 'pipe', 'inherit'] },
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
  });
  const ended = once(peers, 'exit');
  try {
    const [line] = await Promise.race([
      once(createInterface(peers.stdout), 'line'),
      ended.then(([code, signal]) => Promise.reject(new Error(`the peers ended with ${code ?? signal}`))),
    ]);
    const { openMs, mbPerS, hashes, refused } = JSON.parse(line);
    const { output } = await client.call(callTool, {
      ...{ tool: 'sync_mesh_crdt', input: {}, idemKey: randomBytes(32).toString('hex'), receipt: '' },
    });
    const { crdtStateHash, meshNodesDiscovered } = output;
    if (hashes.length !== 1 || hashes[0] !== crdtStateHash || refused.length > 0)
      throw new Error(`the peers have ${hashes}, the service ${crdtStateHash}; refused: ${refused}`);
    report.row('aiortc and pycrdt, one hash with the service', {
      ...{
        openP50Ms: quantile(
          openMs.sort((a, b) => a - b),
          0.5,
        ),
        nodes: meshNodesDiscovered,
      },
      mbPerS: quantile(
        mbPerS.sort((a, b) => a - b),
        0.5,
      ),
    });
  } finally {
    peers.stdin.end();
    await ended;
  }
}

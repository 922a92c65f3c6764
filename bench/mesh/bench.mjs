import { answers, signalling } from './answers.mjs';
import { echo, memory, openTimes } from './channels.mjs';
import { foreignPeers } from './foreign-peers.mjs';
import { withService } from './setup.mjs';
import { sharedDocument } from './shared-document.mjs';

export const packages = ['node-datachannel', 'yjs', 'peer'];

const PARTS = {
  answers,
  open: openTimes,
  echo,
  crdt: sharedDocument,
  signalling,
  memory,
  foreign: foreignPeers,
};

/**
 * The mesh service in a process of its own on nats-server and Postgres: its answers, its connections, its document, and the same
 * beside the libraries alone and beside PeerServer.
 *
 * @param {{ report: import('../../tools/bench/report.mjs').Report; options: { only?: string; pairs?: number; exchanges?: number;
 *   megabytes?: number; sets?: number; sessions?: number } }} run
 */
export default async function mesh({ report, options }) {
  const { only = Object.keys(PARTS).join(',') } = options;
  const chosen = only.split(',').map(name => {
    if (!Object.hasOwn(PARTS, name))
      throw new RangeError(`no part ${name}: ${Object.keys(PARTS).join(', ')}`);
    return PARTS[name];
  });
  // Each has a service that nothing was asked of before.
  for (const part of chosen) await withService({ report, options }, part);
  report.note(
    'CPU time is that of the named process and all its threads; nats-server, Postgres and the peers use the same cores and are not in it.',
  );
}

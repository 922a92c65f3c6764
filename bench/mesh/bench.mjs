import { partsOf } from '../../tools/bench/options.mjs';
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

/** `lanes` are the offers on their way at once; `warmup` the exchanges after which all is compiled. */
export const options = {
  ...{ only: undefined, exchanges: 2_000, lanes: 64, warmup: 2_000, pairs: 200, megabytes: 16, sets: 10_000 },
  sessions: 1_000,
};
export const smoke = { exchanges: 2, lanes: 1, warmup: 1, pairs: 1, megabytes: 1, sets: 3, sessions: 1 };

/**
 * The mesh service in a process of its own on nats-server and Postgres: its answers, its connections, its document, and the same
 * beside the libraries alone and beside PeerServer.
 *
 * @param {{ report: import('../../tools/bench/report.mjs').Report; options: typeof options; smoke: boolean }} run
 */
export default async function mesh(run) {
  const { report, options, smoke } = run;
  const chosen = partsOf(PARTS, options.only);
  const all = async setup => {
    for (const part of chosen) await part(setup);
  };
  // What is measured has a service that nothing was asked of before.
  for (const work of smoke ? [all] : chosen) await withService(run, work);
  report.note(
    'CPU time is that of the named process and all its threads; nats-server, Postgres and the peers use the same cores and are not in it.',
  );
}

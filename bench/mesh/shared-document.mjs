import { toolCallContract } from '@svc/contracts';
import { stateHash } from '@svc/mesh';
import { decoding, encoding } from 'lib0';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { readSyncMessage, writeSyncStep1, writeUpdate } from 'y-protocols/sync';
import * as Y from 'yjs';
import { bytesOf, ChannelPeer } from './channel-peer.mjs';
import { measured } from './measured-process.mjs';

const PEERS = 3;
const POLL_MS = 5;

/**
 * Sets from three peers at once until all of them, and the service, say one hash.
 * @param {import('./setup.mjs').Setup} setup
 */
export async function sharedDocument({ report, mesh, client, answerOf, options: { sets } }) {
  report.table(
    `${sets.toLocaleString('en-US')} sets of map entries from ${PEERS} peers, until all hashes are one`,
  );
  const bareBefore = process.cpuUsage();
  const bareSeconds = inOneProcess(sets);
  report.row('Yjs in one process, no network, nothing stored', {
    ...{ setsPerS: sets / bareSeconds, seconds: bareSeconds, cpuSeconds: cpuSecondsSince(bareBefore) },
  });
  const peers = [];
  try {
    for (let i = 0; i < PEERS; i++) peers.push(await joined(answerOf));
    await converged(client, peers, 0);
    const own = process.cpuUsage();
    const used = await measured([mesh], async () => {
      peers.forEach(({ doc }, i) => setAll(doc, i, sets));
      await converged(client, peers, sets);
    });
    report.row('through channels and Postgres', {
      ...{ setsPerS: sets / used.seconds, seconds: used.seconds, serviceCpuSeconds: used.cpuSeconds },
      peersCpuSeconds: cpuSecondsSince(own),
    });
  } finally {
    for (const { peer } of peers) peer.close();
  }
}

/** Of this process, all threads. */
function cpuSecondsSince(before) {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** Those of one peer; no two set the same entry. */
function setAll(doc, peer, sets) {
  const shared = doc.getMap('shared');
  for (let i = peer; i < sets; i += PEERS) shared.set(`k${i}`, i);
}

/** Each hands what it writes to the others at once. @returns {number} seconds */
function inOneProcess(sets) {
  const docs = Array.from({ length: PEERS }, () => new Y.Doc());
  for (const doc of docs) {
    doc.on('update', (update, origin) => {
      if (origin === 'other') return;
      for (const other of docs) if (other !== doc) Y.applyUpdate(other, update, 'other');
    });
  }
  const beganMs = performance.now();
  docs.forEach((doc, i) => setAll(doc, i, sets));
  if (new Set(docs.map(stateHash)).size !== 1) throw new Error('the documents differ');
  return (performance.now() - beganMs) / 1e3;
}

/** A peer with a document that it keeps in step by y-protocols. */
async function joined(answerOf) {
  const peer = new ChannelPeer();
  const doc = new Y.Doc();
  await peer.open(answerOf);
  const { ctl, crdt } = peer.channels;
  const refusals = [];
  ctl.onMessage(text => {
    const message = JSON.parse(text);
    if (message.type === 'refused') refusals.push(`${message.code}: ${message.detail}`);
  });
  const send = write => {
    const encoder = encoding.createEncoder();
    write(encoder);
    if (encoding.length(encoder) > 0) crdt.sendMessageBinary(encoding.toUint8Array(encoder));
  };
  crdt.onMessage(message => {
    const decoder = decoding.createDecoder(bytesOf(message));
    send(encoder => readSyncMessage(decoder, encoder, doc, 'service'));
  });
  doc.on('update', (update, origin) => {
    if (origin !== 'service') send(encoder => writeUpdate(encoder, update));
  });
  send(encoder => writeSyncStep1(encoder, doc));
  return { peer, doc, refusals };
}

/**
 * Resolves once every peer has all entries, and all hashes with the service's are one. Whether a peer has all is asked of its
 * state vector, as counting the keys of a map goes through all of them; the hash is made when all have all.
 * @throws Error where an update is refused
 */
async function converged(client, peers, entries) {
  const { callTool } = toolCallContract['mesh-signalling'];
  const hasAll = ({ doc }) =>
    peers.reduce((sum, peer) => sum + Y.getState(doc.store, peer.doc.clientID), 0) === entries;
  for (;;) {
    const refused = peers.flatMap(({ refusals }) => refusals);
    if (refused.length > 0) throw new Error(`the service refuses an update: ${refused[0]}`);
    if (peers.every(hasAll)) {
      const idemKey = randomBytes(32).toString('hex');
      const asked = { tool: 'sync_mesh_crdt', input: {}, idemKey, receipt: '' };
      const { output } = await client.call(callTool, asked);
      const hashes = new Set([output.crdtStateHash, ...peers.map(({ doc }) => stateHash(doc))]);
      if (hashes.size === 1) return;
    }
    await delay(POLL_MS);
  }
}

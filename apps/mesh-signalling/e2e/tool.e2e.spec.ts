import { toolCallContract, TOOLS } from '@svc/contracts';
import { findNatsServer, MemoryBus, startNatsServer } from '@svc/platform';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PeerPresence } from '../src/peer/peer.js';
import { peerOf, PeerUnderTest, until, untilEqual } from './document-replicas.js';
import { type DocumentService, type DocumentServices, startDocumentServices } from './document-service.js';

const { admitTool, callTool, toolOutcome, toolProgress, revokeTool } = toolCallContract['mesh-signalling'];
const tool = 'sync_mesh_crdt' as const;
/** As the presence board says it of a peer that reads its inbox. */
const presenceOf = ({ publicKey }: { publicKey: string }, since: number): PeerPresence => ({
  ...{ via: 'inbox', nodeId: 'elsewhere', publicKey, since },
});
const keyOf = (name: string) => createHash('sha256').update(name).digest('hex');

describe('the tool of the mesh', () => {
  let services: DocumentServices;
  let replicas: DocumentService[];
  beforeAll(async () => {
    services = await startDocumentServices({ MESH_SYNC_SECONDS: '3600' });
    replicas = [await services.start(), await services.start()];
  });
  afterAll(() => services?.close());

  const call = async (input: Record<string, unknown>, key: string) =>
    (await services.client.call(callTool, { tool, input, idemKey: keyOf(key), receipt: '' })).output;

  it('says what both replicas say, and who is there', async () => {
    const empty = await call({}, 'empty');
    const hash = createHash('sha256').update('svc-crdt-v1{"nodes":{},"shared":{}}').digest('hex');
    expect(empty).toEqual({ crdtStateHash: hash, meshNodesDiscovered: 0, stateVector: expect.any(String) });
    const peer = peerOf('ada');
    const ada = new PeerUnderTest(peer).connect(replicas[0].documents);
    ada.document.shared.set('course', 270);
    await until(() => replicas[0].replica.counts.stored > 0, 'stored');
    const held = await services.board.claim(`peer.${peer.keyHash}.one`, presenceOf(peer, 1_000));
    await services.board.claim(`peer.${peer.keyHash}.two`, presenceOf(peer, 2_000));
    for (const name of ['one replica', 'the other']) {
      const output = await call({ peerId: peer.publicKey }, name);
      expect(TOOLS[tool].output.parse(output)).toEqual(output);
      expect(output).toMatchObject({ meshNodesDiscovered: 1, peerPresent: true });
    }
    const nodes = { [peer.keyHash]: { publicKey: peer.publicKey, identity: 'verified', since: 1_000 } };
    await until(
      () => JSON.stringify(replicas[1].replica.document.state.nodes) === JSON.stringify(nodes),
      'the node',
    );
    const { crdtStateHash } = await call({ peerId: `0x${peer.keyHash.toUpperCase()}` }, 'by its hash');
    await until(() => ada.document.stateHash === crdtStateHash, 'what the peer says too');
    for (const peerId of ['ada', 'zz', peerOf('bob').publicKey])
      expect(await call({ peerId }, `of ${peerId}`)).toMatchObject({
        peerPresent: false,
        meshNodesDiscovered: 1,
      });
    expect(held).toBeDefined();
  });

  it('reads what it has not heard of before it answers', async () => {
    const [here, there] = replicas;
    const [{ state }] = [here.replica.document];
    expect(state.shared).toEqual({ course: 270 });
    const bob = new PeerUnderTest(peerOf('bob')).connect(there.documents);
    bob.document.shared.set('by bob', 1);
    await until(
      () => there.replica.isAtRest && there.replica.document.state.shared['by bob'] === 1,
      'stored',
    );
    const hashes = [await call({}, 'first'), await call({}, 'second')].map(
      ({ crdtStateHash }) => crdtStateHash,
    );
    expect(hashes).toEqual([there.replica.document.stateHash, there.replica.document.stateHash]);
  });

  it('runs once for its key, and never after that was revoked', async () => {
    const idemKey = keyOf('kept');
    const output = await call({}, 'kept');
    const eve = new PeerUnderTest(peerOf('eve')).connect(replicas[0].documents);
    eve.document.shared.set('changed', 1);
    await until(() => replicas[0].replica.document.state.shared.changed === 1, 'changed');
    expect(await call({}, 'kept')).toEqual(output);
    expect(await call({}, 'another')).not.toEqual(output);
    await expect(call({ peerId: 'x' }, 'kept')).rejects.toMatchObject({ code: 'UNPROCESSABLE' });
    expect(await services.client.call(toolOutcome, { idemKey })).toEqual({
      state: 'done',
      reply: { output },
    });
    const progress = await services.client.call(toolProgress, { idemKey, waitMs: 5_000 });
    expect(progress).toMatchObject({ ended: true, progress: 1 });
    expect(await services.client.call(revokeTool, { idemKey })).toEqual({ was: 'done' });
    await expect(call({}, 'kept')).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await services.client.call(revokeTool, { idemKey: keyOf('never') })).toEqual({ was: 'unknown' });
    await expect(call({}, 'never')).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('refuses what it cannot take, and other tools', async () => {
    const admit = (input: Record<string, unknown>) => services.client.call(admitTool, { tool, input });
    await expect(admit({})).resolves.toEqual({});
    await expect(admit({ peerId: 'any name' })).resolves.toEqual({});
    for (const input of [{ peerId: '' }, { peerId: 1 }, { more: 1 }, { peerId: 'x'.repeat(200) }])
      await expect(admit(input)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    const other = services.client.call(admitTool, { tool: 'get_product_catalog', input: {} });
    await expect(other).rejects.toMatchObject({ code: 'NOT_YET_AVAILABLE' });
  });
});

describe('the nodes of the mesh', () => {
  const variables = { MESH_SYNC_SECONDS: '0.5', MESH_NODE_GRACE_SECONDS: '0.3' };

  it('come and go with the presences, written by one replica, and by another when that is gone', async () => {
    const services = await startDocumentServices(variables);
    try {
      const replicas = [await services.start(), await services.start()];
      const [ada, bob] = [peerOf('ada'), peerOf('bob')];
      const nodesAre = (...peers: (typeof ada)[]) =>
        until(
          () =>
            replicas.every(
              ({ replica }) =>
                Object.keys(replica.document.state.nodes).sort().join() ===
                peers
                  .map(({ keyHash }) => keyHash)
                  .sort()
                  .join(),
            ),
          `${peers.length} nodes`,
        );
      const claim = (peer: typeof ada, by: string) =>
        services.board.claim(`peer.${peer.keyHash}.${by}`, presenceOf(peer, Date.now()));
      const held = [await claim(ada, 'a'), await claim(ada, 'b'), await claim(bob, 'a')];
      await nodesAre(ada, bob);
      const written = replicas.filter(({ replica }) => replica.counts.taken > 0);
      expect(written).toHaveLength(1);
      // One of two presences is enough.
      await services.board.release(`peer.${ada.keyHash}.a`, held[0]!.revision);
      await services.board.release(`peer.${bob.keyHash}.a`, held[2]!.revision);
      await nodesAre(ada);
      expect(replicas.filter(({ replica }) => replica.counts.taken > 0)).toEqual(written);
      await written[0].service.close();
      replicas.splice(replicas.indexOf(written[0]), 1);
      await services.board.release(`peer.${ada.keyHash}.b`, held[1]!.revision);
      await claim(bob, 'again');
      await nodesAre(bob);
      expect(replicas[0].replica.counts.taken).toBeGreaterThan(0);
    } finally {
      await services.close();
    }
  });

  it('do not flap when presences are claimed anew within their grace', async () => {
    const bus = new MemoryBus();
    const services = await startDocumentServices(
      { ...variables, MESH_NODE_GRACE_SECONDS: '5' },
      { kind: 'memory', bus },
    );
    try {
      const { replica } = await services.start();
      const claim = (name: string, since: number) =>
        services.board.claim(`peer.${peerOf(name).keyHash}.a`, presenceOf(peerOf(name), since));
      const nodeOf = (name: string) => replica.document.state.nodes[peerOf(name).keyHash];
      const held = await claim('ada', 7);
      await until(() => nodeOf('ada') !== undefined, 'the node');
      const before = nodeOf('ada');
      // What is written of the next one is written by a look that sees the first one gone, and then there again.
      await services.board.release(`peer.${peerOf('ada').keyHash}.a`, held!.revision);
      await claim('bob', 7);
      await until(() => nodeOf('bob') !== undefined, 'the second node');
      expect(nodeOf('ada')).toEqual(before);
      await claim('ada', 8);
      await claim('carol', 7);
      await until(() => nodeOf('carol') !== undefined, 'the third node');
      expect([nodeOf('ada'), replica.counts.taken]).toEqual([before, 3]);
    } finally {
      await services.close();
    }
  });
});

const binary = findNatsServer();

describe('the document over NATS', () => {
  if (!binary) {
    it('needs nats-server', () => console.log('SKIPPED: nats-server is not installed'));
    return;
  }
  it('is the same again after NATS was gone, which took notices with it', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-mesh-nats-'));
    const server = { binary, dataDir };
    let nats = await startNatsServer(server);
    const services = await startDocumentServices(
      { MESH_SYNC_SECONDS: '3600', PRESENCE_TTL_SECONDS: '2' },
      { kind: 'nats', url: nats.url, token: nats.token },
    );
    try {
      const [here, there] = [await services.start(), await services.start()];
      const [ada, bob] = [new PeerUnderTest(peerOf('ada')), new PeerUnderTest(peerOf('bob'))];
      ada.connect(here.documents);
      bob.connect(there.documents);
      ada.document.shared.set('before', 1);
      await until(() => bob.document.shared.has('before'), 'heard of');
      const { port, token } = nats;
      await nats.stop();
      for (let n = 0; n < 20; n++) {
        ada.document.shared.set(`a ${n % 3}`, n);
        bob.document.shared.set(`b ${n % 3}`, n);
      }
      const stored = ({ replica }: DocumentService) =>
        replica.counts.taken > 0 && replica.counts.stored >= replica.counts.taken;
      await until(() => stored(here) && stored(there), 'stored');
      nats = await startNatsServer({ ...server, port, token });
      await until(
        () =>
          new Set([here, there].map(({ replica }) => replica.document.stateHash)).size === 1 &&
          there.replica.document.state.shared['a 1'] === 19,
        'equal',
      );
      await untilEqual(ada, bob);
      expect(ada.document.stateHash).toBe(here.replica.document.stateHash);
    } finally {
      await services.close();
      await nats.stop();
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});

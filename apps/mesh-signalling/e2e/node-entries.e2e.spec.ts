import { createLogger, MemoryBus, openBusLink, openPresenceBoard, type PresenceBoard } from '@svc/platform';
import { NodeEntries } from '../src/document/node-entries.js';
import { DocumentReplicas, peerOf, until } from './document-replicas.js';

const logger = createLogger('mesh-signalling', { level: 'silent' });

describe('who is there, in the document', () => {
  let replicas: DocumentReplicas;
  beforeAll(async () => {
    replicas = await DocumentReplicas.start();
  });
  afterAll(() => replicas?.stop());

  it('is written by another replica where the one that writes it cannot see who is there', async () => {
    const bus = { kind: 'memory', bus: new MemoryBus() } as const;
    const link = openBusLink(bus, 'mesh-signalling', logger);
    await link.connect();
    const board = openPresenceBoard(link, { owner: 'mesh-signalling', ttlMs: 60_000 }, logger);
    let isCutOff = false;
    const list: PresenceBoard['list'] = async prefix => {
      if (isCutOff) throw new Error('the board is away');
      return board.list(prefix);
    };
    const watch: PresenceBoard['watch'] = (prefix, onChange) =>
      board.watch(prefix, change => isCutOff || onChange(change));
    const [first, second] = [await replicas.replica({ bus }), await replicas.replica({ bus })];
    const parts = { graceMs: 100, logger };
    const cut = { list, watch } as unknown as PresenceBoard;
    const entries = [
      new NodeEntries({ ...parts, dataSource: first.dataSource, replica: first.replica, board: cut }),
      new NodeEntries({ ...parts, dataSource: second.dataSource, replica: second.replica, board }),
    ];
    const come = async (name: string) => {
      const { keyHash, publicKey } = peerOf(name);
      const presence = { via: 'channel', nodeId: 'n', publicKey, since: Date.now() };
      await board.claim(`peer.${keyHash}.session`, presence);
      await until(
        () => Object.hasOwn(second.replica.document.state.nodes, keyHash),
        `${name} in the document`,
      );
    };
    try {
      entries[0].onApplicationBootstrap();
      await come('first');
      entries[1].onApplicationBootstrap();
      isCutOff = true;
      await come('second');
    } finally {
      for (const each of entries) await each.onModuleDestroy();
      await link.close();
    }
  });
});

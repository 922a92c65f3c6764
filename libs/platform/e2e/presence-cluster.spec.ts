import { openPresenceBoard } from '../src/presence/open-presence-board.js';
import { jetstreamManager } from '@nats-io/jetstream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findNatsServer } from '../src/embedded/nats-server.js';
import { freePort } from '../src/embedded/postgres-process.js';
import { NatsLink } from '../src/messaging/nats-link.js';
import { createLogger } from '../src/observability/logger.js';
import { patiently, until } from '../src/presence/presence-board.contract.js';
import { type PresenceChange } from '../src/presence/presence-board.js';
import { presenceNamesOf } from '../src/presence/presence-key.js';

const logger = createLogger('mesh-signalling', { level: 'silent' });
const binary = findNatsServer();
const SERVERS = ['a', 'b', 'c'];
const OWNER = 'mesh-signalling';
const TTL_MS = 60_000;

if (!binary) {
  describe('presence on a cluster of NATS', () => {
    it('needs nats-server', () => console.log('SKIPPED: nats-server is not installed'));
  });
} else {
  describe('presence on a cluster of NATS', () => {
    let home: string;
    const servers = new Map<string, { process: ChildProcess; url: string }>();
    const links: NatsLink[] = [];

    const open = async (name: string) => {
      const link = new NatsLink({ url: servers.get(name)!.url }, OWNER, logger);
      links.push(link);
      await link.connect();
      const settings = {
        owner: OWNER,
        ttlMs: TTL_MS,
        replicas: SERVERS.length,
        bytesMax: 1024 * 1024,
      } as const;
      return { link, board: openPresenceBoard(link, settings, logger) };
    };
    const streamOf = async ({ link }: { link: NatsLink }) =>
      (await jetstreamManager(link.nats)).streams.info(presenceNamesOf(OWNER).stream);

    beforeAll(async () => {
      home = await mkdtemp(join(tmpdir(), 'svc-presence-cluster-'));
      // Asked for at once they are different; servers of a cluster have to know one another's before they begin.
      const ports = await Promise.all(Array.from({ length: 2 * SERVERS.length }, freePort));
      const routes = SERVERS.map((_, i) => `"nats://127.0.0.1:${ports[2 * i]}"`).join(', ');
      for (const [i, name] of SERVERS.entries()) {
        const config = join(home, `${name}.conf`);
        await writeFile(
          config,
          [
            `server_name: ${name}`,
            `listen: "127.0.0.1:${ports[2 * i + 1]}"`,
            `cluster { name: presence, listen: "127.0.0.1:${ports[2 * i]}", routes: [${routes}] }`,
            `jetstream { store_dir: "${join(home, name)}", max_mem: 64MB, max_file: 64MB }`,
          ].join('\n'),
        );
        servers.set(name, {
          process: spawn(binary, ['--config', config], { stdio: 'ignore' }),
          url: `nats://127.0.0.1:${ports[2 * i + 1]}`,
        });
      }
    });
    afterAll(async () => {
      await Promise.all(links.map(link => link.close()));
      for (const { process } of servers.values()) {
        if (process.exitCode !== null || process.signalCode !== null) continue;
        process.kill('SIGKILL');
        await once(process, 'exit');
      }
      await rm(home, { recursive: true, force: true });
    });

    it('keeps every entry while the server that leads its bucket dies, and tells nobody that one is gone', async () => {
      const ends = await Promise.all(SERVERS.map(open));
      const [first] = ends;
      const held = (await patiently(() => first.board.claim('killed.a', 1)))!;
      const { config, cluster } = await streamOf(first);
      expect(config.num_replicas).toBe(3);
      const told: PresenceChange[][] = ends.map(() => []);
      for (const [i, { board }] of ends.entries())
        await patiently(() => board.watch('killed', change => void told[i].push(change)));
      await ends[1].board.claim('killed.b', 2);
      await until(() => told.every(changes => changes.length === 2));

      servers.get(cluster!.leader!)!.process.kill('SIGKILL');
      const there = [
        { key: 'killed.a', value: 1 },
        { key: 'killed.b', value: 2 },
      ];
      // Also where the link was to the server that died: it goes to another, of which it was told.
      for (const { board } of ends) expect(await patiently(() => board.list('killed'))).toEqual(there);
      expect(await patiently(() => ends[2].board.claim('killed.a', 3))).toBeUndefined();
      const renewed = (await patiently(() => first.board.renew('killed.a', 4, held.revision)))!;
      expect(renewed.revision).not.toBe(held.revision);
      const joined = await streamOf(first);
      expect(joined.cluster!.leader).not.toBe(cluster!.leader);
      await patiently(() => ends[1].board.claim('killed.c', 5));
      await until(() => told.every(changes => changes.some(({ key }) => key === 'killed.c')));
      for (const changes of told) expect(changes.filter(({ kind }) => kind === 'gone')).toEqual([]);
    });
  });
}

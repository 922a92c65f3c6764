// commit: none, the whole program has to start on a bus that is held up, in five CPU seconds; see ./allinone.spec.ts
// watches: libs/platform/src/messaging, libs/platform/src/runtime
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger, findNatsServer, type NatsServer, startNatsServer } from '@svc/platform';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppProcess } from './processes.js';

const logger = createLogger('allinone', { level: 'silent' });
const binary = findNatsServer();
/** Longer than a gateway takes to listen, shorter than the server waits for a greeting (2 s). */
const GREETING_HELD_MS = 1_500;

/** A way to the bus on which the gateway's greeting is under way for long, and nobody else's. */
function slowForTheGateway(nats: NatsServer): Promise<Server> {
  const proxy = createServer(client => {
    const server = connect(nats.port, '127.0.0.1');
    server.pipe(client);
    client.once('data', (greeting: Buffer) => {
      const held = greeting.includes('"name":"gateway-') ? GREETING_HELD_MS : 0;
      client.pause();
      setTimeout(() => {
        server.write(greeting);
        client.pipe(server);
      }, held);
    });
    for (const [end, other] of [
      [client, server],
      [server, client],
    ]) {
      end.on('error', () => other.destroy());
      end.on('close', () => other.destroy());
    }
  });
  return new Promise(resolve => proxy.listen(0, '127.0.0.1', () => resolve(proxy)));
}

if (!binary) {
  it('needs nats-server', () => console.log('SKIPPED: nats-server is not installed'));
} else {
  describe('everything in one process, on a bus that the gateway reaches late', () => {
    let folder: string;
    let nats: NatsServer;
    let proxy: Server;
    let app: AppProcess;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'svc-slow-bus-'));
      await chmod(folder, 0o755);
      nats = await startNatsServer({ binary, dataDir: folder, logger });
      proxy = await slowForTheGateway(nats);
    });
    afterAll(async () => {
      await app?.end();
      proxy?.close();
      await nats?.stop();
      await rm(folder, { recursive: true, force: true });
    });

    it('does not say where it is before a call that needs the bus can be answered', async () => {
      app = new AppProcess('allinone', {
        PORT: '0',
        DATA_DIR: join(folder, 'data'),
        NATS_URL: `nats://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
        NATS_TOKEN: nats.token,
      });
      const [, address] = await app.says(/gateway {5}(http:\/\/127\.0\.0\.1:\d+)/);
      const answer = await fetch(`${address}/v1/stark/proofs/prf_AAAAAAAAAAAAAAAAAAAAAA`);
      expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('No proof')]);
    });
  });
}

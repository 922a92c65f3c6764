import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type BusConfig,
  createLogger,
  findNatsServer,
  type NatsServer,
  startNatsServer,
} from '@svc/platform';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './processes.js';

const logger = createLogger('allinone', { level: 'silent' });
const binary = findNatsServer();

/** What starts on a bus, and says at some time that it can be called. */
export interface CalledProduct {
  /** Where its gateway listens. */
  readonly address: string;
  hasSaid(): boolean;
  /** Resolves when it says so. */
  whenSaid(): Promise<unknown>;
  close(): Promise<void>;
}

export type NatsBus = Extract<BusConfig, { kind: 'nats' }>;

/** A proxy before the bus: it holds back what the gateway sends first until the test releases it, and passes all else on. */
class BusHeldForTheGateway {
  private readonly kept = new Set<() => void>();
  private readonly server: Server;
  private open = false;

  constructor(natsPort: number) {
    this.server = createServer(client => {
      const server = connect(natsPort, '127.0.0.1');
      server.pipe(client);
      client.once('data', (greeting: Buffer) => {
        client.pause();
        const pass = () => {
          server.write(greeting);
          client.pipe(server);
        };
        if (this.open || !greeting.includes('"name":"gateway-')) return pass();
        this.kept.add(pass);
        client.once('close', () => this.kept.delete(pass));
      });
      for (const [end, other] of [
        [client, server],
        [server, client],
      ]) {
        end.on('error', () => other.destroy());
        end.on('close', () => other.destroy());
      }
    });
  }

  get holds(): boolean {
    return this.kept.size > 0;
  }

  async listen(): Promise<number> {
    await new Promise<void>(resolve => this.server.listen(0, '127.0.0.1', resolve));
    return (this.server.address() as AddressInfo).port;
  }

  /** Lets through what it keeps, and all that comes. */
  letThrough(): void {
    this.open = true;
    for (const pass of this.kept) pass();
    this.kept.clear();
  }

  close(): void {
    this.letThrough();
    this.server.close();
  }
}

async function answerOf(address: string, path: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${address}${path}`);
  return { status: answer.status, text: await answer.text() };
}

/** Whether the gateway has started and only waits for the bus. */
async function waitsForTheBus(address: string): Promise<boolean> {
  const { text } = await answerOf(address, '/readyz').catch(() => ({ text: '' }));
  return text.includes('"lifecycle":"ok"') && text.includes('"bus":"away"');
}

/** @param start starts the gateway, and a prover that has no proofs, on the bus; `folder` is for files of its own */
export function describeSlowBus(start: (bus: NatsBus, folder: string) => Promise<CalledProduct>): void {
  if (!binary) {
    it('needs nats-server', () => console.log('SKIPPED: nats-server is not installed'));
    return;
  }
  describe('a gateway that reaches the bus late', () => {
    let folder: string;
    let nats: NatsServer;
    let way: BusHeldForTheGateway;
    let product: CalledProduct | undefined;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'svc-slow-bus-'));
      await chmod(folder, 0o755);
      nats = await startNatsServer({ binary, dataDir: folder, logger });
      way = new BusHeldForTheGateway(nats.port);
    });
    afterAll(async () => {
      way?.close();
      await product?.close();
      await nats?.stop();
      await rm(folder, { recursive: true, force: true });
    });

    it('does not say that it can be called before it answers a call that needs the bus', async () => {
      const url = `nats://127.0.0.1:${await way.listen()}`;
      product = await start({ kind: 'nats', url, token: nats.token }, join(folder, 'data'));
      const { address } = product;
      const callTheProver = () => answerOf(address, '/v1/stark/proofs/prf_AAAAAAAAAAAAAAAAAAAAAA');
      await until(
        async () => way.holds && (await waitsForTheBus(address)),
        () => 'a gateway that waits for the bus',
      );
      // What is said too early is said by the time that this answer is here.
      expect(await callTheProver()).toMatchObject({ status: 503 });
      expect(product.hasSaid()).toBe(false);
      way.letThrough();
      await product.whenSaid();
      expect(await callTheProver()).toEqual({ status: 404, text: expect.stringContaining('No proof') });
    });
  });
}

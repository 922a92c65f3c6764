import { freePort } from '@svc/platform';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Program, until } from '../processes.js';

/** coturn, as Debian packages it. */
export const TURN_SERVER = ['/usr/bin/turnserver', '/usr/local/bin/turnserver'].find(path =>
  existsSync(path),
);

/** A relay of its own, that lets through whoever shows a credential made with its secret. */
export interface TurnServer {
  /** RFC 7065. */
  readonly url: string;
  close(): Promise<void>;
}

/** @throws Error where this machine has no address but that of itself: peers offer no other */
export async function startTurnServer(secret: string): Promise<TurnServer> {
  const folder = await mkdtemp(join(tmpdir(), 'mesh-turn-'));
  const [address, port] = [addressOfThisMachine(), await freePort()];
  const program = new Program(
    TURN_SERVER!,
    [
      ...['-n', '--listening-ip', address, '--relay-ip', address, '--listening-port', String(port)],
      ...['--use-auth-secret', '--static-auth-secret', secret, '--realm', 'mesh.example'],
      ...['--no-tls', '--no-dtls', '--no-cli', '--log-file', 'stdout', '--pidfile', join(folder, 'pid')],
      ...['--userdb', join(folder, 'users'), '--min-port', '49152', '--max-port', '65535'],
    ],
    {},
  );
  const close = async () => {
    await program.end();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await until(
      () => accepts(address, port),
      () => `a relay at ${address}:${port}: ${program.output}`,
    );
  } catch (error) {
    await close();
    throw error;
  }
  return { url: `turn:${address}:${port}?transport=udp`, close };
}

function addressOfThisMachine(): string {
  const all = Object.values(networkInterfaces()).flatMap(each => each ?? []);
  const found = all.find(({ family, internal }) => family === 'IPv4' && !internal);
  if (!found) throw new Error('this machine has no address but its own');
  return found.address;
}

function accepts(address: string, port: number): Promise<boolean> {
  const socket = connect(port, address);
  return new Promise(resolve => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  }).finally(() => socket.destroy()) as Promise<boolean>;
}

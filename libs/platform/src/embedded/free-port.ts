import { createServer } from 'node:net';

/** A TCP port on 127.0.0.1 that was free a moment ago; its taker must bear losing it to another. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise(resolve => server.close(resolve));
  if (typeof address !== 'object' || address === null) throw new Error('no TCP port could be bound');
  return address.port;
}

// One process of CertificateReader (src/node/reader-process.ts). Plain JavaScript outside src, so that the built package and
// the tests start the same file. It shuts the ways out before any library is loaded that a file could turn against it.
import dns from 'node:dns';
import net from 'node:net';
import { syncBuiltinESMExports } from 'node:module';

const refuse = () => {
  throw new Error('a process that reads files has no network');
};
net.Socket.prototype.connect = refuse;
net.connect = net.createConnection = refuse;
dns.lookup = refuse;
globalThis.fetch = refuse;
globalThis.WebSocket = undefined;
syncBuiltinESMExports();

const { serve } = await import('#reader-child');
serve();

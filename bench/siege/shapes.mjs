import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { constants, deflateSync } from 'node:zlib';
import { description, SigningPeer } from '../mesh/signing-peer.mjs';

/**
 * How an attack goes on over one connection.
 *
 * @typedef {object} Target
 * @property {string} host
 * @property {number} port
 * @property {string} [localAddress]
 * @property {object} proof body of a request to verify a proof
 * @property {(status: number) => void} count
 * @property {() => boolean} isOver
 *
 * @typedef {(target: Target) => (connection: number) => Promise<void>} Shape
 */

/** After an attempt that failed on the way, milliseconds: an attacker does not spin either. */
const PAUSE_MS = 5;

/** Asks again and again, as fast as the answers come. @returns {Shape} */
const calls = bodyOf => target => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1_000 });
  const makes = bodyOf(target);
  return async connection => {
    for (let turn = 0; !target.isOver(); turn++) {
      const status = await call({ ...target, agent, ...makes(connection, turn) });
      target.count(status);
      if (status === 0) await delay(PAUSE_MS);
    }
  };
};

const JSON_TYPE = { 'content-type': 'application/json' };

function call({ host, port, localAddress, agent, method = 'POST', path, body, headers = {} }) {
  const bytes = body === undefined || body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body));
  const length = bytes && { ...JSON_TYPE, 'content-length': bytes.length };
  const options = {
    ...{ host, port, localAddress, agent, method, path },
    headers: { ...length, ...headers },
  };
  return new Promise(resolve => {
    const failed = () => resolve(0);
    request(options, response => {
      response.resume().on('error', failed);
      response.on('close', () => resolve(response.statusCode));
    })
      .on('error', failed)
      .end(bytes);
  });
}

/** JSON of so many bytes: an array of numbers. */
const numbers = bytes => Buffer.from(`{"A":[${'0,'.repeat(bytes / 2)}0]}`);
const arrays = bytes =>
  calls(() => {
    const body = numbers(bytes);
    return () => ({ path: '/v1/fep/active-inference', body });
  });

/** Objects whose members have a name of their own each, as many as a body may hold: each costs more than a number does. */
const objects = calls(() => {
  const pairs = Array.from({ length: 16_000 }, (_, i) => `{"member${i}":0,"other${i}":1}`);
  const body = Buffer.from(`[${pairs.join(',')}]`);
  return () => ({ path: '/v1/stark/verify-proof', body });
});

/** Streams that break behind 60 MB of what they unpack to. */
const broken = Buffer.concat([
  Buffer.from('1 0 obj << /Filter /FlateDecode >> stream\n'),
  deflateSync(Buffer.alloc(60_000_000), { finishFlush: constants.Z_FULL_FLUSH }),
  Buffer.from('\x07\nendstream endobj\n'),
]);
/** A file that begins as a PDF does, and is full of what its reader looks for. */
function badPdf(i) {
  const parts = [
    ...['<<stream\n', '<< /Length 9 >> stream\nx\nendstream\n', '1 0 obj <<'].map(part => Buffer.from(part)),
    broken,
  ];
  const part = parts[i % parts.length];
  const filler = Array.from({ length: Math.floor(356_000 / part.length) }, () => part);
  return Buffer.concat([Buffer.from('%PDF-1.7\n'), ...filler, Buffer.from(String(i))]).toString('base64');
}

/** WAV, 48 kHz, 16 bits: noise. */
function noise(seconds) {
  const data = randomBytes(seconds * 96_000);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + data.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(48_000, 24);
  head.writeUInt32LE(96_000, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]).toString('base64');
}

/** A graph of 30 MB whose edges are all alike: it deflates to next to nothing. */
function graph() {
  const edge = '[0,1,1],';
  const edges = edge.repeat(30_000_000 / edge.length).slice(0, -1);
  return Buffer.from(`{"problem":"sssp","nodes":2,"source":0,"edges":[${edges}]}`);
}

/** Writes parts over a connection with pauses between, and waits for what comes. @returns {Shape} */
const slowly = partsOf => target => async connection => {
  while (!target.isOver()) {
    const socket = connect({ ...target, localAddress: target.localAddress });
    const closed = new Promise(resolve => socket.on('close', resolve).on('error', () => undefined));
    let answer = '';
    socket.on('data', data => (answer += answer.length < 32 ? data.toString('latin1') : ''));
    let isClosed = false;
    void closed.then(() => (isClosed = true));
    for (const [part, pauseMs] of partsOf(connection)) {
      if (isClosed || target.isOver()) break;
      socket.write(part);
      await Promise.race([delay(pauseMs), closed]);
    }
    target.count(Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0));
    const isCut = isClosed && !target.isOver();
    socket.destroy();
    await closed;
    if (isCut) await delay(PAUSE_MS);
  }
};

/** Header fields, a byte a second; every second connection opens a stream of events instead and keeps it. */
function* headersOrStream(connection) {
  if (connection % 2 === 0) {
    yield ['GET /v1/x402/telemetry HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n', 60_000];
    return;
  }
  yield ['GET /livez HTTP/1.1\r\nHost: localhost\r\nx-', 1_000];
  for (;;) yield ['a', 1_000];
}

/** The head of a long body and its first megabyte, and then nothing. */
function* stalledUpload() {
  const head = ['POST /v1/acoustic/demodulate HTTP/1.1', 'Host: localhost', 'Content-Type: application/json'];
  yield [`${head.join('\r\n')}\r\nContent-Length: 8000000\r\n\r\n`, 0];
  yield [Buffer.alloc(1_000_000, 0x20), 60_000];
}

/** Requests of one write, a few of them with a body: as many as a window holds, and none waits for its answer. */
const sentAhead = Buffer.from(
  [
    'GET /.well-known/x402 HTTP/1.1\r\nHost: localhost\r\n\r\n',
    'POST /v1/zk/prove HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
  ]
    .join('')
    .repeat(350),
);
function* ahead() {
  for (;;) yield [sentAhead, 100];
}

/** A request of MCP 2026-07-28, of a client that says nothing else of itself. */
const mcpList = {
  path: '/mcp',
  headers: {
    ...{ accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
    ...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' },
  },
  body: {
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/list' },
    params: {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'siege', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  },
};

/** What one client can ask for without paying. @type {Record<string, Shape>} */
export const SHAPES = {
  'arrays of 64 KiB': arrays(65_000),
  'arrays of 1 MiB': arrays(1_048_000),
  'arrays of 8 MiB': arrays(8_388_000),
  'objects of 512 KiB': objects,
  challenges: calls(() => (connection, turn) => ({
    path: '/v1/zk/prove',
    body: { traceData: `call ${turn} of ${connection}`, degree: 1_024 },
  })),
  'verify-proof': calls(({ proof }) => {
    const body = Buffer.from(JSON.stringify(proof));
    return () => ({ path: '/v1/stark/verify-proof', body });
  }),
  documents: calls(() => () => ({ method: 'GET', path: '/openapi.json' })),
  'bad PDFs': calls(() => {
    const bodies = [0, 1, 2, 3].map(i => ({ pdfBase64: badPdf(i), requirementSetId: 'general-contractor' }));
    return (_, turn) => ({ path: '/partnerCoiVerify', body: bodies[turn % bodies.length] });
  }),
  'noise to demodulate': calls(() => {
    const body = Buffer.from(JSON.stringify({ recordingBase64: noise(10) }));
    return () => ({ path: '/v1/acoustic/demodulate', body });
  }),
  uploads: calls(() => {
    const bodies = [65_536, 7_864_320].map(bytes => Buffer.alloc(bytes, 1));
    const headers = { 'content-type': 'application/octet-stream' };
    return (_, turn) => ({ path: '/v1/uploads', headers, body: bodies[turn % bodies.length] });
  }),
  'lists of MCP': calls(() => () => mcpList),
  'bundles and refunds': calls(() => (connection, turn) => {
    if (connection % 2 === 0) return { path: '/v1/l402/bundle', body: { sats: 2 + (turn % 1_000) } };
    const authorization = `L402 ${randomBytes(90).toString('base64')}:${randomBytes(32).toString('hex')}`;
    return { path: '/v1/refunds/lightning', headers: { authorization }, body: { invoice: 'lnbc1' } };
  }),
  checkouts: calls(() => () => ({ path: '/prepay-credits', body: { packId: 'pack_10' } })),
  'deflated graphs': calls(() => {
    const body = graph();
    return () => ({ path: '/v1/snn/solve-graph', body });
  }),
  'streams and slow headers': slowly(headersOrStream),
  'stalled uploads': slowly(stalledUpload),
  'asynchronous solves': calls(() => {
    const headers = { prefer: 'respond-async' };
    return (connection, turn) => ({
      path: '/v1/snn/solve',
      headers,
      body: { neuronCount: 1_000_000, iterations: 100_000, seed: connection * 1_000 + turn },
    });
  }),
  'requests sent ahead': slowly(ahead),
  'payments that are none': calls(() => (connection, turn) => ({
    path: '/v1/zk/prove',
    headers: {
      authorization: `L402 ${randomBytes(90).toString('base64')}:${randomBytes(32).toString('hex')}`,
    },
    body: { traceData: `call ${turn} of ${connection}`, degree: 1_024 },
  })),
  probes: calls(() => (connection, turn) => ({
    method: turn % 2 === 0 ? 'GET' : 'HEAD',
    path: connection % 2 === 0 ? '/livez' : '/readyz',
  })),
  'mesh joins': calls(() => () => ({
    path: '/v1/mesh/rendezvous',
    body: new SigningPeer().rendezvous(description('actpass')),
  })),
};

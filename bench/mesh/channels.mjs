import { bytesOf, ChannelPeer } from './channel-peer.mjs';
import { measured, MeasuredProcess, quantile, repeat } from './measured-process.mjs';

const MESSAGE_BYTES = 16_384;
const MEGABYTE = 1_048_576;
/** Bytes that are on their way there and back at once: less than either side lets wait. */
const WINDOW_BYTES = 4 * MEGABYTE;
/** Sessions that open at once, where many are opened. */
const OPENING = 8;

/**
 * How long a connection takes from its making to its open channels, one after another.
 * @param {import('./setup.mjs').Setup} setup
 */
export async function openTimes({ report, mesh, answerOf, options: { pairs } }) {
  report.table(`${pairs} connections, one after another: from nothing to open channels`);
  const bare = await MeasuredProcess.start('bare');
  const rows = [
    ['libdatachannel to libdatachannel, one channel', bare, offer => bare.answer(offer), ['echo']],
    ['the service, three channels, signed both ways', mesh, answerOf, undefined],
  ];
  try {
    for (const [name, process, answer, labels] of rows) {
      let tookMs = [];
      const { cpuSeconds } = await measured([process], async () => {
        tookMs = await repeat(pairs, 1, async () => {
          const peer = new ChannelPeer();
          await peer.open(answer, labels);
          peer.close();
        });
      });
      report.row(name, {
        ...{ p50Ms: quantile(tookMs, 0.5), p90Ms: quantile(tookMs, 0.9), p99Ms: quantile(tookMs, 0.99) },
        cpuMsEach: (1e3 * cpuSeconds) / pairs,
      });
    }
  } finally {
    await bare.stop();
  }
}

/** Bytes that come back a second, by a bare answerer and by the service. @param {import('./setup.mjs').Setup} setup */
export async function echo({ report, mesh, answerOf, options: { megabytes } }) {
  report.table(`Echo of ${megabytes} MB in messages of 16 KiB`);
  const bare = await MeasuredProcess.start('bare');
  const rows = [
    ['libdatachannel alone', bare, offer => bare.answer(offer), ['echo']],
    ['the service', mesh, answerOf, undefined],
  ];
  try {
    for (const [name, process, answer, labels] of rows) {
      const peer = new ChannelPeer();
      await peer.open(answer, labels);
      // SCTP begins slowly: what is measured is what a connection gets to.
      await echoed(peer.channels.echo, 2 * MEGABYTE);
      const { seconds, cpuSeconds } = await measured([process], () =>
        echoed(peer.channels.echo, megabytes * MEGABYTE),
      );
      report.row(name, { mbPerS: megabytes / seconds, cpuMsPerMb: (1e3 * cpuSeconds) / megabytes });
      peer.close();
    }
  } finally {
    await bare.stop();
  }
}

/** Sends bytes and resolves once they are back. @throws Error where others come back */
function echoed(channel, bytes) {
  const message = Buffer.alloc(MESSAGE_BYTES);
  const count = bytes / MESSAGE_BYTES;
  const [sent, back] = [{ count: 0 }, { count: 0 }];
  return new Promise((resolve, reject) => {
    const fill = () => {
      while (sent.count < count && (sent.count - back.count) * MESSAGE_BYTES < WINDOW_BYTES) {
        message.writeUInt32LE(sent.count++);
        channel.sendMessageBinary(message);
      }
    };
    channel.onMessage(data => {
      const got = Buffer.from(bytesOf(data));
      if (got.length !== MESSAGE_BYTES || got.readUInt32LE() !== back.count)
        return reject(new Error(`message ${back.count} did not come back as it was sent`));
      if (++back.count === count) resolve();
      else fill();
    });
    channel.onClosed(() => reject(new Error('the channel was closed')));
    fill();
  });
}

/** Memory of the service with sessions that do nothing. @param {import('./setup.mjs').Setup} setup */
export async function memory({ report, mesh, answerOf, options: { sessions } }) {
  report.table('Resident memory of the service by open sessions');
  // What the first connections load stays.
  await repeat(Math.min(OPENING, sessions), 1, async () => {
    const peer = new ChannelPeer();
    await peer.open(answerOf);
    peer.close();
  });
  const before = await mesh.usage();
  report.row('none', { rssMb: before.rssBytes / MEGABYTE });
  const peers = [];
  const step = Math.ceil(sessions / 4);
  try {
    while (peers.length < sessions) {
      const more = Math.min(step, sessions - peers.length);
      await repeat(more, OPENING, async () => {
        const peer = new ChannelPeer();
        await peer.open(answerOf);
        peers.push(peer);
      });
      const { rssBytes } = await mesh.usage();
      const kbEach = (rssBytes - before.rssBytes) / 1_024 / peers.length;
      report.row(`${peers.length}`, { rssMb: rssBytes / MEGABYTE, kbEach });
    }
  } finally {
    for (const peer of peers) peer.close();
  }
}

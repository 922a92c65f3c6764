import { PeerConnection } from 'node-datachannel';
import { createSocket } from 'node:dgram';
import { setTimeout as delay } from 'node:timers/promises';

/** The one that had the port before may be about to close: connections end on threads of their own. */
const TRIES = 20;
const TRY_AGAIN_MS = 50;

/**
 * The UDP port that all connections of a replica share. The library has it while there is any connection, so one that nobody is
 * told of keeps it. (Its own listener for that would not: the socket of a stopped one stays open as often as not.)
 */
export class UdpPort {
  private constructor(
    /** 1 to 65,535. */
    readonly number: number,
    private readonly release: () => void,
  ) {}

  /**
   * @param wanted 0: any free one. The library is never asked for that: to it 0 is whichever port it has already.
   * @throws Error where somebody has it and keeps it
   */
  static async take(wanted: number, bindAddress?: string): Promise<UdpPort> {
    for (let triesLeft = TRIES - 1; ; triesLeft--) {
      try {
        const port = await freeUdpPort(wanted, bindAddress);
        return new UdpPort(port, keep(port, bindAddress));
      } catch (error) {
        if (triesLeft === 0) throw new Error(`UDP port ${wanted} cannot be taken`, { cause: error });
      }
      await delay(TRY_AGAIN_MS);
    }
  }

  /** It is free again once the last of its connections has ended. */
  close(): void {
    this.release();
  }
}

/** Connections with this are on one port. */
export const onPort = (port: number, bindAddress?: string) => ({
  ...{ enableIceUdpMux: true, portRangeBegin: port, portRangeEnd: port },
  ...(bindAddress !== undefined && { bindAddress }),
});

function keep(port: number, bindAddress: string | undefined): () => void {
  const native = new PeerConnection('port', { iceServers: [], ...onPort(port, bindAddress) });
  // The library lets go of what is listened to when it is closed, and of others never.
  native.onStateChange(() => undefined);
  const channel = native.createDataChannel('port');
  channel.onClosed(() => undefined);
  return () => {
    channel.close();
    native.close();
  };
}

/** @throws Error EADDRINUSE, EADDRNOTAVAIL, EACCES */
function freeUdpPort(wanted: number, bindAddress: string | undefined): Promise<number> {
  const isIpv4 = bindAddress !== undefined && !bindAddress.includes(':');
  const socket = createSocket(isIpv4 ? 'udp4' : 'udp6');
  return new Promise((resolve, reject) => {
    socket.once('error', error => {
      socket.close();
      reject(error);
    });
    socket.bind({ port: wanted, ...(bindAddress !== undefined && { address: bindAddress }) }, () => {
      const { port } = socket.address();
      socket.close(() => resolve(port));
    });
  });
}

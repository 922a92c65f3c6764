import { PeerConnection } from 'node-datachannel';
import { SigningPeer } from './signing-peer.mjs';

/** A peer that opens channels with libdatachannel; what answers its offer is given to it. */
export class ChannelPeer {
  key = new SigningPeer();
  channels = {};
  #connection;

  /**
   * Opens channels and resolves once all of them are open.
   *
   * @param {(sdpOffer: string, key: SigningPeer) => Promise<string>} answer
   * @param {readonly string[]} labels
   */
  async open(answer, labels = ['ctl', 'crdt', 'echo']) {
    const connection = new PeerConnection('peer', { iceServers: [] });
    this.#connection = connection;
    const gathered = new Promise(resolve =>
      connection.onGatheringStateChange(state => state === 'complete' && resolve()),
    );
    const opened = labels.map(label => {
      const channel = connection.createDataChannel(label);
      this.channels[label] = channel;
      return new Promise(resolve => channel.onOpen(resolve));
    });
    if (connection.gatheringState() !== 'complete') await gathered;
    const failed = new Promise((_, reject) =>
      connection.onStateChange(state => {
        if (state === 'failed') reject(new Error('a connection failed'));
      }),
    );
    connection.setRemoteDescription(await answer(connection.localDescription().sdp, this.key), 'answer');
    await Promise.race([Promise.all(opened), failed]);
  }

  /** Channels first: the library keeps one that was never closed. */
  close() {
    for (const channel of Object.values(this.channels)) channel.close();
    this.#connection?.close();
  }
}

/** The message as bytes, in whatever the library gives it. */
export const bytesOf = message =>
  typeof message === 'string' ? Buffer.from(message) : new Uint8Array(message);

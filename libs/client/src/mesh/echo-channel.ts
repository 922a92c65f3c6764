import { bytesOf, trySend } from './data-channels.js';
import { MeshConnectionError } from './mesh-error.js';

/** Bytes of one message that every implementation of data channels takes (RFC 8831 section 6.6, W3C `maxMessageSize`). */
export const ECHO_BYTES_MAX = 65_536;
/** Messages that may be on their way at once. */
const WAITING_MAX = 1_024;

interface Waiting {
  readonly lengthBytes: number;
  readonly resolve: (bytes: Uint8Array) => void;
  readonly reject: (error: MeshConnectionError) => void;
}

/** The channel on which everything comes back as it was sent, in its order. */
export class EchoChannel {
  private readonly waiting: Waiting[] = [];

  constructor(private readonly channel: RTCDataChannel) {
    channel.addEventListener('message', ({ data }) => this.receive(bytesOf(data)));
    channel.addEventListener('close', () => this.fail());
  }

  /**
   * Sends bytes and gives what comes back for them.
   *
   * @throws {RangeError} for more than {@link ECHO_BYTES_MAX} bytes, or none
   * @throws {MeshConnectionError} DISCONNECTED; TOO_MUCH_WAITS where 1,024 are on their way
   */
  send(bytes: Uint8Array): Promise<Uint8Array> {
    if (bytes.length === 0 || bytes.length > ECHO_BYTES_MAX)
      throw new RangeError(`an echo is of 1 to ${ECHO_BYTES_MAX} bytes, got ${bytes.length}`);
    if (this.waiting.length >= WAITING_MAX)
      return Promise.reject(
        new MeshConnectionError('TOO_MUCH_WAITS', `${WAITING_MAX} echoes are on their way`),
      );
    return new Promise((resolve, reject) => {
      if (trySend(this.channel, bytes)) this.waiting.push({ lengthBytes: bytes.length, resolve, reject });
      else reject(gone());
    });
  }

  private receive(bytes: Uint8Array | undefined): void {
    const [first] = this.waiting;
    // Nothing was asked, or it is not what was sent: the ones after it would be told apart wrongly.
    if (first === undefined || bytes === undefined || bytes.length !== first.lengthBytes) {
      this.fail();
      this.channel.close();
      return;
    }
    this.waiting.shift();
    first.resolve(bytes);
  }

  private fail(): void {
    for (const { reject } of this.waiting.splice(0)) reject(gone());
  }
}

const gone = () => new MeshConnectionError('DISCONNECTED', 'the echo channel is gone');

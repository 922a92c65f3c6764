import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A TCP proxy that lets requests through and can lose what comes back. */
export class LossyProxy {
  private readonly sockets = new Set<Socket>();
  private toLose = 0;
  /** Answers that were lost so far. */
  lost = 0;

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {}

  static async start(target: string): Promise<LossyProxy> {
    const server = createServer();
    const proxy = new LossyProxy(server, new URL(target));
    server.on('connection', socket => proxy.join(socket));
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Cuts the connection instead of the next `count` answers of connections that bring a payment or a key. */
  losePaidAnswers(count: number): void {
    this.toLose = count;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise(resolve => this.server.close(resolve));
  }

  private join(inward: Socket): void {
    const outward = connect(Number(this.target.port), this.target.hostname);
    let paid = false;
    inward.on('data', bytes => {
      paid ||= /^(?:authorization|payment-signature|payment-credential|x-svc-key):/im.test(
        bytes.toString('latin1'),
      );
      outward.write(bytes);
    });
    outward.on('data', bytes => {
      if (paid && this.toLose > 0) {
        this.toLose--;
        this.lost++;
        inward.destroy();
        outward.destroy();
      } else {
        inward.write(bytes);
      }
    });
    for (const [socket, other] of [
      [inward, outward],
      [outward, inward],
    ]) {
      this.sockets.add(socket);
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
      socket.on('error', () => other.destroy());
    }
  }
}

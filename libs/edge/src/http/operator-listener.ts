import { gatewayRoutes, type Route, ROUTES } from '@svc/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** Paths that a production installation answers to operators' listeners alone. */
export const isForOperatorsAlone = (path: string): boolean => path.startsWith('/v1/admin/');

const { livez, readyz, problem } = gatewayRoutes;
const keyOf = (method: string, path: string) => `${method === 'HEAD' ? 'GET' : method} ${path}`;
/** What a listener of operators answers: what needs an operator's key, the probes, and what its problems mean. */
const OPERATOR_ROUTES: ReadonlySet<string> = new Set(
  [...ROUTES.filter(({ access }: Route) => access === 'admin'), livez, readyz, problem].map(
    ({ method, path }) => keyOf(method, path),
  ),
);

const fromOperators = new WeakSet<Socket>();

/** Whether a listener of operators accepted the connection of a request. Nothing that a request says decides it. */
export const isAtOperatorListener = ({ raw }: Pick<FastifyRequest, 'raw'>): boolean =>
  fromOperators.has(raw.socket);

/**
 * Whether a request may find a route where it came in.
 *
 * @param operatorsApart whether the public listener lacks what is for operators alone
 * @param path a route's path with `:name` parameters
 */
export function isServedTo(
  request: Pick<FastifyRequest, 'raw'>,
  operatorsApart: boolean,
  method: string,
  path: string,
): boolean {
  if (isAtOperatorListener(request)) return OPERATOR_ROUTES.has(keyOf(method, path));
  return !(operatorsApart && isForOperatorsAlone(path));
}

/**
 * A second port of an HTTP address, for operators. It accepts connections and hands them to the server that is there: so they
 * have the same routes, bounds, pauses and log, and are drained and closed together with those of the public.
 */
export class OperatorListener {
  private readonly server: Server;

  /** @param instance one that has not started, and whose hooks already wait for the requests in flight */
  constructor(instance: FastifyInstance) {
    // As Node's HTTP server accepts its own.
    this.server = createServer({ allowHalfOpen: true, noDelay: true }, socket => {
      fromOperators.add(socket);
      instance.server.emit('connection', socket);
    });
    instance.addHook('preClose', done => {
      // Accepts no more; the connections that there are end with those of the HTTP server.
      this.server.close();
      done();
    });
  }

  /**
   * Accepts connections from now on.
   * @param port 0 for any free one
   * @returns the port that was bound
   * @throws the error of `listen`, such as EADDRINUSE
   */
  async listen(port: number, host: string): Promise<number> {
    this.server.listen(port, host);
    await once(this.server, 'listening');
    return (this.server.address() as AddressInfo).port;
  }
}

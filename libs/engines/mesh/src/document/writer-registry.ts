import { requireAtMost, UpdateRefused } from './update-refused.js';

/** Who an update is from: one of the service's own replicas, or a peer by a name that is its for good. */
export type Origin = { readonly kind: 'service' } | { readonly kind: 'peer'; readonly name: string };

/**
 * Who writes under which client id. Operations are named by client id and clock; if two wrote under one id, replicas that met
 * the one first would never take the other's, and would differ for ever. So an id is for whoever used it first.
 */
export class WriterRegistry {
  readonly #owners: Map<number, Origin>;

  constructor(
    owners: Iterable<readonly [clientId: number, owner: Origin]>,
    private writersMax: number,
  ) {
    this.#owners = new Map(owners);
  }

  get owners(): ReadonlyMap<number, Origin> {
    return this.#owners;
  }

  /** From now on there may be any number. */
  liftBound(): void {
    this.writersMax = Infinity;
  }

  /**
   * Those of the client ids that nobody has yet.
   * @throws UpdateRefused FOREIGN_WRITER where one is another's, DOCUMENT_FULL where there would be too many
   */
  unclaimed(clientIds: readonly number[], origin: Origin): number[] {
    const free = clientIds.filter(clientId => {
      const owner = this.#owners.get(clientId);
      // The service hands on what every peer wrote.
      if (owner && origin.kind === 'peer' && !isSame(owner, origin))
        throw new UpdateRefused('FOREIGN_WRITER', `client ${clientId} is another's`);
      return owner === undefined;
    });
    if (origin.kind === 'peer' && free.length > 0)
      requireAtMost('DOCUMENT_FULL', 'writers', this.#owners.size + free.length, this.writersMax);
    return free;
  }

  /** @throws UpdateRefused FOREIGN_WRITER where it is another's */
  claim(clientId: number, origin: Origin): void {
    const owner = this.#owners.get(clientId);
    if (owner && !isSame(owner, origin))
      throw new UpdateRefused('FOREIGN_WRITER', `client ${clientId} is another's`);
    this.#owners.set(clientId, origin);
  }
}

const isSame = (a: Origin, b: Origin) =>
  a.kind === 'peer' ? b.kind === 'peer' && a.name === b.name : b.kind === 'service';

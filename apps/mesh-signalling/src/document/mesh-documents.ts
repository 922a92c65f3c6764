import type { Peer } from '../peer/peer.js';

/** One peer's channel to the document of the mesh. */
export interface DocumentChannel {
  /**
   * Takes one message of the sync protocol, in the order of its arrival. What a refused update is answered with is sent by the
   * other function of {@link MeshDocuments.open}; nothing throws.
   */
  receive(message: Uint8Array): void;
  close(): void;
}

/** What a channel is to do for the document. */
export interface DocumentOutlet {
  /** Sends a message of the sync protocol; false: too much waits to be sent, and the channel is to be opened anew. */
  send(message: Uint8Array): boolean;
  /** An update was refused: told on `ctl`. After too many, the connection is closed. */
  refused(refusal: Refusal & { readonly closes: boolean }): void;
}

/** What a peer is told of an update that is not taken; with the bound that it is past, where there is one. */
export interface Refusal {
  readonly code: string;
  readonly detail: string;
  readonly max?: number | undefined;
  readonly got?: number | undefined;
}

/** The replicated document of the mesh, as this replica has it. */
export abstract class MeshDocuments {
  /** Begins to keep a peer's copy in step: sends the first message at once. Peers that are not verified may read only. */
  abstract open(peer: Peer, outlet: DocumentOutlet): DocumentChannel;
}

import { IndependentPeer } from './independent-peer.js';
import { sha256Hex } from './signed-texts.js';
import type { DirectLink } from './direct-link.js';

/** What a test asks of the peer in a page; values cross as JSON. */
export function startPagePeer(peer: IndependentPeer) {
  let link: DirectLink | undefined;
  let from = '';
  return {
    publicKey: peer.key.publicKey,
    keyHash: peer.key.keyHash,
    meetService: () => peer.meetService(),
    /** Echoes random bytes; their digest and that of what came back. */
    echo: async (lengthBytes: number): Promise<readonly [sent: string, back: string]> => {
      const bytes = new Uint8Array(lengthBytes);
      // At most so many at once.
      for (let at = 0; at < lengthBytes; at += 65_536)
        crypto.getRandomValues(bytes.subarray(at, at + 65_536));
      const back = Uint8Array.from(await peer.service!.echo(bytes));
      return [await sha256Hex(bytes), await sha256Hex(back)];
    },
    set: (name: string, value: unknown) => void peer.document.shared.set(name, value),
    get: (name: string) => peer.document.shared.get(name),
    hash: () => peer.document.hash(),
    /** Answers whoever calls. */
    listen: () => peer.listen(offer => void peer.answer(offer).then(answered => ({ link, from } = answered))),
    connectTo: async (target: string) => {
      link = await peer.connectTo(target);
      from = target;
    },
    /** Key of the other side of the direct connection, which it has shown to hold; empty before there is one. */
    other: () => from,
    send: (text: string) => link!.send(text),
    next: () => link!.next(),
  };
}

export type PagePeer = ReturnType<typeof startPagePeer>;

declare global {
  /** In the page. */
  var pagePeer: PagePeer;
}

/** Runs in a page of the gateway's own origin. */
export async function begin(): Promise<void> {
  globalThis.pagePeer = startPagePeer(await IndependentPeer.create(RTCPeerConnection, location.origin));
}

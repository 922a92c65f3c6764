/** The key that was used last: whoever checks many signatures checks them by one. */
let last: { readonly text: string; readonly key: CryptoKey } | undefined;

/** Ed25519 of WebCrypto: in Node from 20 and in the browsers of today, at https addresses and at localhost. */
export async function verifyEd25519(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  const bytes = (view: Uint8Array) => Uint8Array.from(view);
  const text = publicKey.join();
  if (last?.text !== text) {
    last = {
      text,
      key: await crypto.subtle.importKey('raw', bytes(publicKey), 'Ed25519', false, ['verify']),
    };
  }
  return crypto.subtle.verify('Ed25519', last.key, bytes(signature), bytes(message));
}

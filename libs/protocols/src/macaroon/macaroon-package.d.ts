/** The part of npm `macaroon` 3 that the tests compare with; the package ships no types. */
declare module 'macaroon' {
  interface PeerMacaroon {
    readonly caveats: readonly { readonly identifier: Uint8Array }[];
    readonly signature: Uint8Array;
    addFirstPartyCaveat(condition: string): void;
    addThirdPartyCaveat(rootKey: Uint8Array, condition: string, location: string): void;
    exportBinary(): Uint8Array;
    /** @throws when the signature or a condition does not hold */
    verify(rootKey: Uint8Array, check: (condition: string) => string | null): void;
  }
  const peer: {
    importMacaroon(macaroon: Uint8Array): PeerMacaroon;
    newMacaroon(content: {
      identifier: Uint8Array;
      rootKey: Uint8Array;
      version: 2;
      location: string;
    }): PeerMacaroon;
  };
  export default peer;
}

/** The part of npm `sdp-transform` 3 that is used here; the package ships no types. */
declare module 'sdp-transform' {
  /** What stood as a number is one, written back the same; all else is text. */
  type Value = string | number;

  export interface ParsedCandidate {
    readonly foundation: Value;
    readonly component: Value;
    readonly transport: Value;
    readonly priority: Value;
    readonly ip: Value;
    readonly port: Value;
    readonly type: Value;
  }
  export interface ParsedSection {
    readonly mid?: Value;
    readonly setup?: Value;
    readonly iceUfrag?: Value;
    readonly icePwd?: Value;
    readonly sctpPort?: Value;
    readonly maxMessageSize?: Value;
    readonly endOfCandidates?: Value;
    readonly fingerprint?: { readonly type: Value; readonly hash: Value };
    readonly groups?: readonly { readonly type: Value; readonly mids: Value }[];
    readonly candidates?: readonly ParsedCandidate[];
  }
  export interface ParsedMedia extends ParsedSection {
    readonly type?: Value;
    readonly port?: Value;
    readonly protocol?: Value;
    readonly payloads?: Value;
  }
  export interface ParsedDescription extends ParsedSection {
    readonly version?: Value;
    readonly media: readonly ParsedMedia[];
  }
  const sdpTransform: { parse(description: string): ParsedDescription };
  export default sdpTransform;
}

/** What a replica takes; every bound is itself still taken. */
export interface DocumentBounds {
  /** Of one peer's update. */
  readonly updateBytesMax: number;
  /** Of the whole document, encoded as one update. */
  readonly documentBytesMax: number;
  /** Client ids that wrote since the document was begun anew the last time. */
  readonly writersMax: number;
  /** Of a key of a map or of a JSON object, in UTF-16 code units. */
  readonly keyCharsMax: number;
  /** Maps, lists, texts, JSON objects and JSON arrays inside each other, below a root. */
  readonly nestingMax: number;
  /**
   * Steps that merging one update may take: list items passed over in search of a place, and their like. A few bytes can ask
   * for a walk over the whole document, thousands of times; 1,000,000 steps are less than half a second.
   */
  readonly stepsMax: number;
}

export const DOCUMENT_BOUNDS: DocumentBounds = {
  updateBytesMax: 262_144,
  documentBytesMax: 4_194_304,
  writersMax: 4_096,
  keyCharsMax: 256,
  nestingMax: 16,
  stepsMax: 1_000_000,
};

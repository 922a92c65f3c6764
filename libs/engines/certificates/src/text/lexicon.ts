/** Wordings of one label; the words of each are separated by blanks. */
export type Lexicon<Id extends string> = Readonly<Record<Id, readonly string[]>>;

/** The metals that pieces are sold as. */
export const PRECIOUS_METALS = ['gold', 'silver', 'platinum', 'palladium'] as const;

export type PreciousMetal = (typeof PRECIOUS_METALS)[number];

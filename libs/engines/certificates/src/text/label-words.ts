import { COVERAGE_WORDINGS } from './coverage-wording.js';
import { COVERAGES, PARTS, POLICY_LABELS } from './form-wording.js';

/** Letters and digits alone, in upper case, cut at every other sign: `GEN'L`, `COMP/OP`, `E.L.` → GENL, COMP OP, EL. */
export function tokensOf(text: string): string[] {
  return text
    .toUpperCase()
    .replace(/['’‘`.]/g, '')
    .split(/[^A-Z0-9]+/)
    .filter(token => token !== '');
}

const lexicons = [
  PARTS,
  COVERAGES,
  POLICY_LABELS,
  ...Object.values(COVERAGE_WORDINGS).flatMap(({ limits, marks }) => [limits, marks]),
];

/** Every word of every label, `INSURER` among them: a word that is one of these is not another one misread. */
export const LABEL_WORDS: ReadonlySet<string> = new Set([
  'INSURER',
  ...lexicons.flatMap(lexicon => Object.values(lexicon).flat().flatMap(tokensOf)),
]);

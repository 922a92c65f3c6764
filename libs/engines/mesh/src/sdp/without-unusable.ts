import type { InspectedDescription } from './inspect-description.js';

const AFTER_LINE = /(?<=\n)/;

/**
 * A description without the lines of its dropped candidates, byte for byte the same otherwise: for the connection that this
 * service opens itself. What is brokered goes as it came. Its `c=` line may name a private address still; where there are
 * candidates, ICE does not look at it.
 *
 * @param text what was inspected
 * @throws RangeError where it was another text
 */
export function withoutUnusable(text: string, { dropped }: Pick<InspectedDescription, 'dropped'>): string {
  const lines = text.split(AFTER_LINE);
  for (const { candidate } of dropped) {
    const line = lines[candidate.line - 1];
    if (line?.trimEnd() !== `a=${candidate.text}`) {
      throw new RangeError(`line ${candidate.line} is not the candidate that was dropped`);
    }
    lines[candidate.line - 1] = '';
  }
  return lines.join('');
}

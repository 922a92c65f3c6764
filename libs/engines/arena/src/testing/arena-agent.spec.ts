import { createHash } from 'node:crypto';
import { drawChallenge, FAMILIES, gradeAnswer } from '../challenge.js';
import { ArenaAgent } from './arena-agent.js';

const seedOf = (text: string) => new Uint8Array(createHash('sha256').update(text).digest());
/** Games of each family and level. */
const GAMES = process.env.SUITE_TIER === 'long' ? 12 : 1;

describe('an agent that knows nothing but the problem', () => {
  it.each(FAMILIES)('attains the optimum that the grader found, in every level: %s', family => {
    const missed: string[] = [];
    for (let level = 1; level <= 10; level++) {
      for (let game = 0; game < GAMES; game++) {
        const challenge = drawChallenge(family, level, seedOf(`${family} ${level} ${game}`));
        // As an agent is told it: as JSON.
        const told = JSON.parse(JSON.stringify(challenge.problem)) as unknown;
        const { correctness, reason } = gradeAnswer(challenge, new ArenaAgent().answer(family, told));
        if (correctness !== 1) missed.push(`level ${level}, game ${game}: ${reason}`);
      }
    }
    expect(missed).toEqual([]);
  });
});

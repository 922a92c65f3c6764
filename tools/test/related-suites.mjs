import { ImportGraph } from './import-graph.mjs';
import { expectedSeconds, suitesAmong } from './suites.mjs';

/** A change of these can change any suite. */
const EVERYWHERE =
  /^(package-lock\.json|package\.json|tsconfig\.base\.json|jest\.config\.mjs|tools\/test\/suite-runner\.mjs)$/;
const SOURCE = /\.(ts|mjs)$/;
/** Farther than any path of imports: suites that only lie in the project of a changed file. */
const SAME_PROJECT = 1_000;

/**
 * The suites that a change can reach, in the order in which a developer wants to know of them: unit suites with the fewest imports
 * between them and the change, then service suites of the changed projects, the cheapest first. A changed file that is no source
 * (a fixture, a migration's SQL, a kernel in AssemblyScript) reaches every suite of its project. Long suites are left out.
 *
 * @param {object} parts
 * @param {import('../tidy/tidy.mjs').Tree} parts.tree
 * @param {string[]} parts.changed files, gone ones included
 * @param {string[]} parts.projects folders of the packages that changed
 * @param {import('./suites.mjs').Costs} parts.costs
 * @returns {Record<'unit' | 'service' | 'tools', import('./suites.mjs').Suite[]>}
 */
export function relatedSuites({ tree, changed, projects, costs }) {
  const distances = new ImportGraph(tree).distancesFrom(changed.filter(file => SOURCE.test(file)));
  const all = changed.some(file => EVERYWHERE.test(file));
  const beside = new Set(
    changed
      .filter(file => !SOURCE.test(file))
      .flatMap(file => projects.filter(project => file.startsWith(`${project}/`))),
  );
  const distanceOf = ({ file, project }) =>
    distances.get(file) ?? (all || beside.has(project) ? SAME_PROJECT : undefined);
  const related = suitesAmong(tree.files).filter(
    suite => !['long', 'foreign'].includes(suite.tier) && distanceOf(suite) !== undefined,
  );
  const cost = suite => expectedSeconds(suite, costs);
  return {
    unit: related
      .filter(({ tier, runner }) => tier === 'unit' && runner === 'jest')
      .sort((a, b) => distanceOf(a) - distanceOf(b) || cost(a) - cost(b)),
    service: related
      .filter(suite => suite.tier === 'service')
      .sort((a, b) => isFar(a, projects) - isFar(b, projects) || cost(a) - cost(b)),
    tools: related.filter(({ runner }) => runner === 'node'),
  };
}

/** Service suites of other projects come after those of the changed ones. */
const isFar = ({ project }, projects) => Number(!projects.includes(project));

import { ImportGraph } from './import-graph.mjs';
import { expectedSeconds, suiteOf, suitesAmong } from './suites.mjs';

/** A change of these can change any suite: what all are started with. */
const EVERYWHERE =
  /^(package-lock\.json|package\.json|tsconfig\.base\.json|jest\.config\.mjs|tools\/test\/[^/]+(?<!\.spec)\.mjs)$/;
/** Starts the Postgres that service suites share: it names a program, and is imported by the runner of all suites. */
const SHARED_POSTGRES = 'tools/test/worker-postgres.mjs';
/** What the suites of the deployment read of packages, by names that are made when they run. */
const DEPLOYED = /^(apps|libs)\/.+(package\.json|config\.ts|service-definition\.ts|\/migrations\/[^/]+\.ts)$/;
const DEPLOYMENT = 'tools/deploy/';
/** Suites that load benchmarks, which import most packages. */
const BENCHMARKS = 'tools/bench/';
const SOURCE = /\.(ts|mjs)$/;
/** Stands for whatever lies in no package. */
const TOOLS = 'tools';
/** Farther than any path of imports: suites that a change reaches for where it lies. */
const SAME_PROJECT = 1_000;

/**
 * The suites that a change can reach, in the order in which a developer wants to know of them: those with the fewest imports
 * between them and the change, services of the changed projects before others and of those the cheapest. A changed file that is no
 * source (a fixture, a migration's SQL), or that leads to no suite (AssemblyScript, what is gone), reaches every suite of its project,
 * and outside of packages (docker-compose.yml, k8s, docs) every suite of the tools. `long` ones are told to be counted.
 *
 * @param {object} parts
 * @param {import('../tidy/tidy.mjs').Tree} parts.tree
 * @param {string[]} parts.changed files, gone ones included
 * @param {string[]} parts.projects folders of the packages that changed
 * @param {import('./suites.mjs').Costs} parts.costs
 * @returns {Record<'nearTools' | 'unit' | 'service' | 'farTools' | 'long', import('./suites.mjs').Suite[]>} those of the tools apart:
 *   reached by imports, and for where a file lies or by what a benchmark imports
 */
export function relatedSuites({ tree, changed, projects, costs }) {
  const graph = new ImportGraph(tree);
  const distances = graph.distancesFrom(changed);
  const isEverything = changed.some(file => EVERYWHERE.test(file));
  const beside = isEverything ? new Set() : besides(graph, changed, projects);
  const isDeployed = changed.some(file => DEPLOYED.test(file));
  const distanceOf = ({ file, project, runner, tier }) =>
    distances.get(file) ??
    (isEverything ||
    beside.has(runner === 'node' ? TOOLS : project) ||
    (isDeployed && file.startsWith(DEPLOYMENT)) ||
    (tier === 'service' && distances.has(SHARED_POSTGRES))
      ? SAME_PROJECT
      : undefined);
  const related = suitesAmong(tree.files).filter(
    suite => suite.tier !== 'foreign' && distanceOf(suite) !== undefined,
  );
  const cost = suite => expectedSeconds(suite, costs);
  const ofTier = (wanted, first) =>
    related
      .filter(({ tier, runner }) => tier === wanted && runner === 'jest')
      .sort((a, b) => first(a) - first(b) || cost(a) - cost(b));
  const tools = related
    .filter(({ runner, tier }) => runner === 'node' && tier === 'unit')
    .sort((a, b) => distanceOf(a) - distanceOf(b) || cost(a) - cost(b));
  // A change of a package reaches its own suites first.
  const isNear = suite =>
    distanceOf(suite) < SAME_PROJECT && !(projects.length > 0 && suite.file.startsWith(BENCHMARKS));
  return {
    nearTools: tools.filter(isNear),
    unit: ofTier('unit', distanceOf),
    service: ofTier('service', ({ project }) => Number(!projects.includes(project))),
    farTools: tools.filter(suite => !isNear(suite)),
    long: related.filter(({ tier }) => tier === 'long'),
  };
}

/** Projects of changed files that are no sources, and of sources that lead to no suite, being none. */
function besides(graph, changed, projects) {
  const leadsSomewhere = file =>
    SOURCE.test(file) && [...graph.distancesFrom([file]).keys()].some(reached => suiteOf(reached));
  return new Set(
    changed
      .filter(file => !suiteOf(file) && !leadsSomewhere(file))
      .map(file => projects.find(project => file.startsWith(`${project}/`)) ?? TOOLS),
  );
}

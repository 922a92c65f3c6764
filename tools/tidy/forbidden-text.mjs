/** Files in which tests stand, or what they are made of. */
export const TEST_FILE = /\.(spec|cases|contract|bench|fuzz)\.(ts|mjs)$|\/(e2e|testing)\/|^bench\//;
/** Where a random number is no matter of the product. */
const MAY_DRAW = /\.(spec|bench|fuzz)\.(ts|mjs)$|\/e2e\/|^bench\//;
const CODE = /\.(ts|mjs|js|sh)$/;
const LOCK = /(^|\/)package-lock\.json$/;

/**
 * Lines that no committed file may hold.
 *
 * @type {{ message: string; pattern: RegExp; inFile: (file: string) => boolean }[]}
 */
const RULES = [
  {
    message: 'a path of one machine',
    pattern: /(?<![\w.$}/])\/(?:work|farm|home\/\w+|tmp\/\w+)(?:\/|\b)/,
    inFile: file => !LOCK.test(file),
  },
  {
    message: 'the address of a package registry',
    pattern: /registry\.(?:npmjs|yarnpkg)\.|"resolved": "https?:/,
    inFile: () => true,
  },
  {
    message: 'randomness in code that is not a test (a result is computed, a secret comes from crypto)',
    pattern: /\bMath\.random\b/,
    inFile: file => CODE.test(file) && !MAY_DRAW.test(file),
  },
  {
    message: 'a test that is switched off, or that switches others off',
    pattern:
      /\b(?:describe|it|test|suite)(?:\.\w+)*\.(?:only|skip|todo|failing)\b|\b[xf](?:it|describe|test)\(/,
    inFile: file => CODE.test(file) && TEST_FILE.test(file),
  },
  {
    message: 'a test that is tried again until it passes',
    pattern: /\bretryTimes\b/,
    inFile: file => CODE.test(file) && TEST_FILE.test(file),
  },
  {
    message: "a skip that is not counted (console.log('SKIPPED: sox is not installed') is)",
    pattern: /(?<!\bconsole\.log\(['"`])\bSKIPPED\b|\bSKIPPED\b(?!: )/,
    // Notes of the benchmarks and the runner's own suites are none of a test.
    inFile: file => CODE.test(file) && TEST_FILE.test(file) && !/^(bench|tools\/(test|tidy))\//.test(file),
  },
  {
    message: 'a package of tests in code that is none',
    pattern: /@svc\/[\w-]+\/testing\b/,
    inFile: file => /^(apps|libs)\/.*\.ts$/.test(file) && !TEST_FILE.test(file),
  },
  {
    message: 'an unfinished place',
    pattern: /\b(?:T[O]DO|F[I]XME|X[X]X)\b/,
    inFile: file => !LOCK.test(file),
  },
];

/**
 * Machine paths, registry addresses, randomness outside tests, tests that are switched off, and
 * unfinished places.
 *
 * @param {import('./tidy.mjs').Tree} tree
 * @returns {import('./tidy.mjs').Finding[]}
 */
export function forbiddenText(tree) {
  const findings = [];
  for (const file of tree.files) {
    const rules = RULES.filter(rule => rule.inFile(file));
    for (const [index, text] of tree.read(file).split('\n').entries()) {
      for (const { pattern, message } of rules) {
        const match = pattern.exec(text);
        if (match) findings.push({ file, line: index + 1, message: `${message}: ${match[0].slice(0, 60)}` });
      }
    }
  }
  return findings;
}

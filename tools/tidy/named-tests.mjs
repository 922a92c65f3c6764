/** A page that names a test as `folder/file`: title. The title may end at the next one, at the end of the cell or of the line. */
const NAMED = /`([\w.-]+\/[\w./-]+\.(?:spec|cases)\.(?:ts|mjs))`: (.+?)(?=<br>| \||$)/g;

/**
 * Tests that a page names and that no file has, so that a table of promises cannot outlive what holds them.
 *
 * @param {import('./tidy.mjs').Tree} tree
 * @returns {import('./tidy.mjs').Finding[]}
 */
export function namedTests(tree) {
  const files = new Set(tree.files);
  return tree.files
    .filter(file => file.endsWith('.md'))
    .flatMap(file =>
      tree
        .read(file)
        .split('\n')
        .flatMap((text, index) =>
          [...text.matchAll(NAMED)].flatMap(([, suite, title]) => {
            const message = files.has(suite)
              ? `${suite} has no test "${title}"`
              : `the suite ${suite} does not exist`;
            const there = files.has(suite) && hasTitle(tree.read(suite), title);
            return there ? [] : [{ file, line: index + 1, message }];
          }),
        ),
    );
}

/** Whether a suite has a string of that text as an argument with others behind it, as `it` and `test` take their titles. */
const hasTitle = (source, title) =>
  ["'", '"', '`'].some(quote => source.includes(`${quote}${title}${quote},`));

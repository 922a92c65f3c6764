import { posix } from 'node:path';

/**
 * Relative links of Markdown files that lead nowhere: the file, or the heading behind `#`.
 *
 * @param {import('./tidy.mjs').Tree} tree
 * @returns {import('./tidy.mjs').Finding[]}
 */
export function markdownLinks(tree) {
  const files = new Set(tree.files);
  const folders = new Set(tree.files.flatMap(parents));
  const findings = [];
  for (const file of tree.files.filter(name => name.endsWith('.md'))) {
    for (const { target, line } of links(tree.read(file))) {
      if (/^[a-z][a-z0-9+.-]*:/i.test(target) || target.startsWith('/')) continue;
      const [path, anchor] = decodeURI(target).split('#');
      const destination = path ? posix.join(posix.dirname(file), path).replace(/\/$/, '') : file;
      if (!files.has(destination) && !folders.has(destination) && destination !== '.') {
        findings.push({ file, line, message: `the link ${target} leads to no file` });
      } else if (anchor && destination.endsWith('.md') && !headings(tree.read(destination)).has(anchor)) {
        findings.push({ file, line, message: `${destination} has no heading #${anchor}` });
      }
    }
  }
  return findings;
}

/** Inline links and reference definitions outside of code, with their lines. */
function* links(text) {
  let fenced = false;
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*(```|~~~)/.test(line)) fenced = !fenced;
    if (fenced) continue;
    const prose = line.replace(/`[^`]*`/g, '');
    for (const match of prose.matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g)) {
      yield { target: match[1], line: index + 1 };
    }
    const definition = /^\s*\[[^\]]+\]:\s*(\S+)/.exec(prose);
    if (definition) yield { target: definition[1], line: index + 1 };
  }
}

/** Anchors that a page offers, as GitHub makes them from its headings. */
function headings(text) {
  const anchors = new Set();
  for (const [, title] of text.matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)) {
    const plain = title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = plain.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
    let anchor = slug;
    for (let n = 1; anchors.has(anchor); n++) anchor = `${slug}-${n}`;
    anchors.add(anchor);
  }
  return anchors;
}

function parents(file) {
  const parts = file.split('/').slice(0, -1);
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
}

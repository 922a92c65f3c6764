import { ROUTES_NOT_YET } from '@svc/contracts';

export const NOT_YET_BEGIN = '<!-- routes:not-yet -->';
export const NOT_YET_END = '<!-- /routes:not-yet -->';

/** The README's list of routes that answer 501, as Markdown between its two markers. */
export function notYetMarkdown(): string {
  const lines = ROUTES_NOT_YET.map(route => `| \`${route.method} ${route.path}\` | ${route.summary} |`);
  return [NOT_YET_BEGIN, '', '| route | what it will do |', '| --- | --- |', ...lines, '', NOT_YET_END].join(
    '\n',
  );
}

/** Between two credentials that somebody on the way has written into one line; commas stand within credentials, too. */
const JOINED = /,(?=\s*(?:l402|lsat|payment|bearer)\s)/i;

/** What `Authorization` holds, a credential each, whether they came in lines of their own or joined. */
export const authorizationLines = (rawHeaders: readonly string[]): string[] =>
  headerLines(rawHeaders, 'authorization').flatMap(line => line.split(JOINED));

/**
 * The values of every line of a header, in their order. From the raw lines, because node drops a second
 * `Authorization`, and joins those of other headers, before anybody sees that there were two.
 * @param rawHeaders `rawHeaders` of node's request: name, value, name, value
 * @param name in lower case
 */
export function headerLines(rawHeaders: readonly string[], name: string): string[] {
  const lines: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if (rawHeaders[index].length === name.length && rawHeaders[index].toLowerCase() === name) {
      lines.push(rawHeaders[index + 1]);
    }
  }
  return lines;
}

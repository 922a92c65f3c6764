/**
 * The text of a function with a part of it in other words, for a migration that changes no more than that part.
 * @throws RangeError where the part does not occur once
 */
export function replaced(text: string, before: string, after: string): string {
  if (text.split(before).length !== 2) throw new RangeError(`not once in the function: ${before}`);
  return text.replace(before, after);
}

/** `CREATE FUNCTION` as a statement that puts the function in the place of the one that is there. */
export function replacing(sql: string): string {
  return replaced(sql, 'CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION');
}

/**
 * Resolves once something is so, which is looked at every few milliseconds.
 * @throws {Error} where it is not, in time
 */
export async function settled(
  isSo: () => boolean | Promise<boolean>,
  msMax: number,
  everyMs = 10,
): Promise<void> {
  const endMs = Date.now() + msMax;
  while (!(await isSo())) {
    if (Date.now() > endMs) throw new Error(`not so within ${msMax} ms: ${isSo.toString()}`);
    await new Promise(resolve => setTimeout(resolve, everyMs));
  }
}

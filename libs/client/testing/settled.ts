/** A little before the wall limit of a test of the tier that runs, so as to say what did not come, milliseconds. */
const HANGS_MS = (Number(process.env.SUITE_LIMIT_MS ?? 240_000) * 5) / 6;

/**
 * Resolves once something is so, which is looked at every few milliseconds.
 * @throws {Error} where it hangs
 */
export async function settled(isSo: () => boolean | Promise<boolean>, everyMs = 10): Promise<void> {
  const endMs = Date.now() + HANGS_MS;
  const hangs = () => Date.now() > endMs;
  while (!(await isSo())) {
    if (hangs()) throw new Error(`it hangs: ${isSo.toString()}`);
    await new Promise(resolve => setTimeout(resolve, everyMs));
  }
}

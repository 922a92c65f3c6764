/** A set-up step that cannot go on; its message is one sentence for the person at the terminal. */
export class SetupError extends Error {
  /**
   * @param {string} message
   * @param {number} [exitCode]
   */
  constructor(message, exitCode = 1) {
    super(message);
    this.name = 'SetupError';
    this.exitCode = exitCode;
  }
}

/**
 * Runs a command of this workspace; a SetupError ends it with one sentence, anything else with its stack.
 *
 * @param {() => Promise<void>} main
 */
export async function runCommand(main) {
  try {
    await main();
  } catch (error) {
    process.stderr.write(`${error instanceof SetupError ? error.message : error.stack}\n`);
    process.exit(error instanceof SetupError ? error.exitCode : 1);
  }
}

/** Debian packages by the tool that a suite says is missing. */
const PACKAGES = {
  ...{
    'nats-server': 'nats-server',
    chromium: 'chromium',
    coturn: 'coturn',
    sox: 'sox',
    minimodem: 'minimodem',
  },
  ...{ 'a Vulkan driver': 'mesa-vulkan-drivers libvulkan1' },
  ...{ pdftotext: 'poppler-utils', pdftocairo: 'poppler-utils', qpdf: 'qpdf' },
  ...{
    python3: 'python3',
    'sox with Vorbis': 'sox libsox-fmt-base',
    ffmpeg: 'ffmpeg',
    pgbouncer: 'pgbouncer',
  },
};
/** Anvil is an optional dependency, which npm leaves out where it was told to, or where the download failed. */
const FROM_NPM = { anvil: 'npm ci --include=optional' };
/** A GPU is one of software where Mesa is installed. */
const NO_GPU = /^WebGPU: /;
const MESA = 'a Vulkan driver';
const NOT_INSTALLED = /^(.*) (?:is|are) not installed$/;

/**
 * What could not run for want of a tool, and the one command that installs all of it.
 *
 * @param {{ file: string; missing: string[] }[]} records of suites that Jest or Node ran
 * @returns {string[]} lines; none when nothing was missing
 */
export function missingTools(records) {
  const lacking = records.filter(({ missing }) => missing.length > 0);
  if (lacking.length === 0) return [];
  const reasons = lacking.map(({ file, missing }) => `  ${file}: ${[...new Set(missing)].join('; ')}`);
  const tools = lacking.flatMap(({ missing }) =>
    missing.flatMap(reason =>
      NO_GPU.test(reason) ? MESA : (NOT_INSTALLED.exec(reason)?.[1].split(/ (?:or|and) /) ?? []),
    ),
  );
  const fromNpm = [...new Set(tools.flatMap(tool => FROM_NPM[tool] ?? []))];
  const packages = [...new Set(tools.flatMap(tool => PACKAGES[tool]?.split(' ') ?? []))].sort();
  const commands = [...(packages.length > 0 ? [`apt-get install ${packages.join(' ')}`] : []), ...fromNpm];
  return [
    `${lacking.length} suites did not run whole:`,
    ...reasons,
    ...(commands.length > 0 ? [`To run them too: ${commands.join(' && ')}`] : []),
  ];
}

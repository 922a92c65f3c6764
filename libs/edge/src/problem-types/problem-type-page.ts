import type { ProblemType } from '@svc/contracts';

const CHARGED: Readonly<Record<ProblemType['charged'], string>> = {
  no: 'Nothing was taken for the request, unless the answer says so.',
  yes: 'A payment was taken and is kept.',
  unknown: 'It is not known yet: do not pay again.',
};
const RETRY: Readonly<Record<ProblemType['retry'], string>> = {
  same: 'Send the same request with the same credential, after <code>Retry-After</code> where there is one.',
  changed: 'Mend what <code>detail</code> and <code>errors</code> name, then send it.',
  pay: 'Send it with a payment of one of the offers.',
  no: 'It would be refused again.',
};

/** A type of problem, to be read in a browser. */
export function problemTypePage({
  title,
  status,
  code,
  charged,
  retry,
  meaning,
  action,
}: ProblemType): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${prose(title)}</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem; color: #1a1a1a; }
code { font: .9em ui-monospace, monospace; }
</style>
</head>
<body>
<h1>${prose(title)}</h1>
<p><code>${code}</code>, status ${status}</p>
<h2>What it means</h2>
<p>${prose(meaning)}</p>
<h2>Whether it was charged</h2>
<p>${CHARGED[charged]}</p>
<h2>How to go on</h2>
<p>${prose(action)}</p>
<p>${RETRY[retry]}</p>
</body>
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text with names in backticks. */
const prose = (text: string): string =>
  text.replace(/[&<>"]/g, character => ENTITIES[character]).replace(/`([^`]*)`/g, '<code>$1</code>');

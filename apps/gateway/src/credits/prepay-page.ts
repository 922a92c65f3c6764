import type { PrepayConfirmation } from '@svc/contracts';
import type { z } from 'zod';

type Confirmation = z.output<typeof PrepayConfirmation>;

/** What a browser that comes back from a paid checkout is shown; the key is in it once. */
export function prepayPage(confirmation: Confirmation): string {
  const { apiKey, licenseKey, tier, creditsAdded, credits, keyShownAt, accountId } = confirmation;
  const bought = tier ? `Your plan is active: ${tier}.` : `${creditsAdded} audits were added.`;
  return page(
    'Thank you',
    [
      `<p>${text(bought)} Account <code>${text(accountId)}</code>, balance: ${credits} audits.</p>`,
      apiKey ? secret('Your key', apiKey, 'Send it as <code>X-SVC-KEY</code>.') : noKey(keyShownAt),
      licenseKey ? secret('Your licence key', licenseKey, 'Check it at <code>/sam/verify-key/</code>.') : '',
    ].join('\n'),
  );
}

/** What a browser is shown whose checkout is not paid, or is none. */
export const prepayProblemPage = (title: string, detail: string): string =>
  page(title, `<p>${text(detail)}.</p>\n<p>Reload this page to look again.</p>`);

function secret(title: string, value: string, use: string): string {
  return `<h2>${title}</h2>
<p><strong>It is shown this once. Keep it now.</strong> ${use}</p>
<p><code class="secret">${text(value)}</code></p>`;
}

const noKey = (keyShownAt: string | undefined): string =>
  keyShownAt === undefined
    ? '<p>The credit is on the key that the pack was bought with.</p>'
    : `<p>The key was shown at ${text(keyShownAt)}, and is shown once.</p>`;

function page(title: string, content: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${text(title)}</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem; color: #1a1a1a; }
code { font: .95em ui-monospace, monospace; }
.secret { display: block; padding: .75rem 1rem; border: 1px solid #bbb; border-radius: 6px; background: #f6f6f6; overflow-wrap: anywhere; user-select: all; }
</style>
</head>
<body>
<h1>${text(title)}</h1>
${content}
</body>
</html>
`;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const text = (value: string) => value.replace(/[&<>"]/g, character => ENTITIES[character]);

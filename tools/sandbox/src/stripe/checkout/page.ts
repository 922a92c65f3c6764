/** A piece of markup; everything else is text and gets escaped. */
export class Markup {
  constructor(readonly text: string) {}
}

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function markupOf(value: unknown): string {
  if (value instanceof Markup) return value.text;
  if (Array.isArray(value)) return value.map(markupOf).join('');
  if (value === undefined || value === null || value === false) return '';
  return String(value).replaceAll(/[&<>"']/g, character => ESCAPES[character]);
}

/** Markup with values in it, each escaped unless it is markup itself. */
export function html(strings: TemplateStringsArray, ...values: unknown[]): Markup {
  return new Markup(strings.reduce((text, string, index) => text + markupOf(values[index - 1]) + string));
}

const STYLE = `
:root { color-scheme: light; --ink: #1a1f36; --soft: #5b6478; --line: #d8dee8; --accent: #3b4fe0; --bad: #b3261e; }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; color: var(--ink);
  background: #f4f6fa; }
.notice { background: #fff3cd; border-bottom: 1px solid #e6d08a; padding: .6rem 1rem; text-align: center; font-size: .92rem; }
main { max-width: 60rem; margin: 2.5rem auto; padding: 0 1rem; display: grid; gap: 2rem;
  grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); align-items: start; }
main.single { grid-template-columns: minmax(0, 30rem); justify-content: center; }
@media (max-width: 46rem) { main { grid-template-columns: minmax(0, 1fr); margin-top: 1.25rem; } }
.card { background: #fff; border: 1px solid var(--line); border-radius: 12px; padding: 1.75rem;
  box-shadow: 0 1px 3px rgb(26 31 54 / 8%); }
h1 { font-size: 1.05rem; font-weight: 600; margin: 0; color: var(--soft); }
h2 { font-size: 1.15rem; margin: 0 0 1rem; }
.total { font-size: 2.4rem; font-weight: 650; letter-spacing: -.02em; margin: .1rem 0 1.4rem; }
.total small { font-size: 1rem; font-weight: 400; color: var(--soft); letter-spacing: 0; }
table { width: 100%; border-collapse: collapse; }
td { padding: .7rem 0; border-top: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
td:last-child { text-align: right; white-space: nowrap; padding-left: 1rem; font-variant-numeric: tabular-nums; }
td small, .hint { color: var(--soft); font-size: .88rem; display: block; }
tr.sum td { font-weight: 600; }
label { display: block; font-size: .9rem; font-weight: 550; margin: 1rem 0 .3rem; }
input { width: 100%; font: inherit; padding: .62rem .75rem; border: 1px solid #b8c1d1; border-radius: 8px; background: #fff; }
input:focus-visible, button:focus-visible, a:focus-visible, summary:focus-visible { outline: 3px solid #a9b4ff; outline-offset: 1px; }
input[aria-invalid=true] { border-color: var(--bad); }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }
.error { color: var(--bad); font-size: .9rem; margin: .35rem 0 0; }
.alert { background: #fdecea; border: 1px solid #f3b8b3; color: #7d1a14; border-radius: 8px; padding: .7rem .9rem; margin: 0 0 1rem; }
button { font: inherit; font-weight: 600; width: 100%; padding: .75rem; border-radius: 8px; border: 1px solid transparent;
  margin-top: 1.4rem; background: var(--accent); color: #fff; cursor: pointer; }
button.plain { background: #fff; color: var(--ink); border-color: #b8c1d1; margin-top: .7rem; font-weight: 500; }
details { margin-top: 1.25rem; font-size: .88rem; color: var(--soft); }
code { font: .92em ui-monospace, Consolas, monospace; color: var(--ink); }
fieldset { border: 0; padding: 0; margin: 1.4rem 0 0; }
legend { font-weight: 600; padding: 0; }
`;

/** The whole page: what it says first is that no money moves. */
export function page(title: string, content: Markup, { single = false } = {}): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${new Markup(STYLE)}</style>
</head>
<body>
<div class="notice" role="note"><strong>Sandbox.</strong> This page stands for the card processor&rsquo;s. No card is charged and no money moves: use test cards only.</div>
<main${single && new Markup(' class="single"')}>${content}</main>
</body>
</html>
`.text;
}

/** `$10.00`; the currency's code where it has no sign here. */
export function moneyText(amount: number, currency: string): string {
  const text = (amount / 100).toFixed(2);
  return currency === 'usd' ? `$${text}` : `${text} ${currency.toUpperCase()}`;
}

import { execFile } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Books, type Line, readBooks } from './history-books.js';
import {
  answerMembers,
  bodyDigest,
  digestOf,
  keyId,
  invoiceAmount,
  jsonOf,
  lightning,
  paymentMembers,
} from './history-requests.js';
import { workspace } from './processes.js';

const CHECKER = 'tools/history/check-history.mjs';
const PAYS_INVOICES = '/dev/lightning/pay';
/** Offending lines of one finding that are shown. */
const SHOWN_LINES_MAX = 20;

declare global {
  var keptWhereFailed: string[] | undefined;
}

/** What the checker of histories decides: rules that are broken, and how much there was to judge. */
export interface Verdict {
  readonly findings: readonly { readonly rule: string; readonly why: string; readonly lines: number[] }[];
  readonly seen: Readonly<Record<string, number>>;
}

/**
 * Writes down what payers ask and are answered, and what rails and books say of it at the end, for a checker that has no code of the
 * product. Lines are written at once, to a file that is kept where a test of the suite fails. It sees what goes through its `fetch`.
 */
export class PaymentHistory {
  readonly path: string;
  private readonly pending = new Set<Promise<unknown>>();
  private readonly invoices = new Set<string>();
  private readonly routes = new Map<string, string>();
  private readonly priced = new Set<string>();
  /** Keys that have paid. */
  private readonly keys = new Map<string, string>();
  private lineCount = 0;
  private askCount = 0;

  /** @param name of the suite */
  constructor(name: string) {
    const folder = mkdtempSync(join(tmpdir(), 'svc-history-'));
    globalThis.keptWhereFailed?.push(folder);
    this.path = join(folder, `${name}.jsonl`);
    this.write({ kind: 'begin', version: 1, name });
  }

  /** As the global one, and writes down what it sees. */
  readonly fetch: typeof fetch = (input, init) => {
    const asked = this.ask(new Request(input, init));
    this.pending.add(asked);
    void asked.catch(() => undefined).finally(() => this.pending.delete(asked));
    return asked;
  };

  /** An operator gave an account credit. */
  grant(account: string, amount: number): void {
    this.write({ kind: 'grant', account, amount });
  }

  /**
   * Ends it with what rails and books say now, when every request has its answer or has none, and has it judged.
   *
   * @throws Error with each rule that is broken, the lines that offend, and where the history lies
   * @returns how much there was to judge
   */
  async judge(books: Books): Promise<Verdict['seen']> {
    while (this.pending.size > 0) await Promise.allSettled(this.pending);
    for (const [route, url] of this.routes)
      if (!this.priced.has(route)) await this.fetch(url, { method: 'POST' });
    for (const line of await readBooks(books)) this.write(line);
    for (const [key, url] of this.keys) await this.show(key, url);
    this.write({ kind: 'end', lines: this.lineCount });
    const { findings, seen } = await verdictOn(this.path);
    if (findings.length > 0) throw new Error(this.complaint(findings));
    return seen;
  }

  private async ask(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const text = await request.clone().text();
    const route = `${request.method} ${pathname}`;
    const id = ++this.askCount;
    const members = paymentMembers(request.headers);
    if ('payment' in members) this.routes.set(route, request.url);
    if (String(members.payment).startsWith('key:'))
      this.keys.set(request.headers.get('x-svc-key')!, request.url);
    this.write({ kind: 'ask', id, route, body: bodyDigest(text), ...members });
    try {
      const response = await fetch(request);
      const bytes = new Uint8Array(await response.clone().arrayBuffer());
      const answer = answerMembers(response, bytes);
      if ('price' in answer) this.priced.add(route);
      this.write({ kind: 'answer', id, ...answer });
      if (pathname === PAYS_INVOICES && response.ok) this.paid(jsonOf(text), jsonOf(bytes));
      return response;
    } catch (error) {
      this.write({ kind: 'lost', id, why: String((error as Error).cause ?? error) });
      throw error;
    }
  }

  /** What a payer's own node says: the invoice that it has paid, once, and the preimage that it got for it. */
  private paid({ invoice }: Record<string, unknown>, { preimage }: Record<string, unknown>): void {
    const payment = lightning(String(preimage));
    if (this.invoices.has(payment)) return;
    this.invoices.add(payment);
    const [reference, amount] = [digestOf(String(invoice)), invoiceAmount(String(invoice))];
    this.write({ kind: 'money', rail: 'lightning', what: 'in', reference, amount, payment });
  }

  /** What the holder of a key is shown; of one that is none nothing. */
  private async show(key: string, url: string): Promise<void> {
    const headers = { 'x-svc-key': key };
    const response = await fetch(new URL('/v1/account', url), { headers });
    if (!response.ok) return;
    const { balanceMicroUsd, quota } = jsonOf(new Uint8Array(await response.arrayBuffer()));
    const { used } = quota as { used: number };
    this.write({ kind: 'shown', key: keyId(key), balance: balanceMicroUsd, used });
  }

  private write(line: Line): void {
    appendFileSync(this.path, `${JSON.stringify({ at: Date.now(), ...line })}\n`);
    this.lineCount++;
  }

  private complaint(findings: Verdict['findings']): string {
    const lines = readFileSync(this.path, 'utf8').split('\n');
    const told = findings.map(({ rule, why, lines: offending }) =>
      [`${rule}: ${why}`, ...offending.slice(0, SHOWN_LINES_MAX).map(at => `  ${at}: ${lines[at - 1]}`)].join(
        '\n',
      ),
    );
    return [`the history ${this.path} breaks ${findings.length} rules`, ...told].join('\n');
  }
}

/** Has the checker, a program of its own, read a history. */
function verdictOn(path: string): Promise<Verdict> {
  return new Promise((resolve, reject) =>
    execFile(
      process.execPath,
      [join(workspace, CHECKER), path],
      { maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) =>
        stdout === '' ? reject(error ?? new Error(stderr)) : resolve(JSON.parse(stdout) as Verdict),
    ),
  );
}

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';

/**
 * What a benchmark measured: tables of rows, each compared with the first row of its table by the
 * table's first metric, and notes.
 */
export class Report {
  #tables = [];
  #notes = [];
  #leftOut = [];
  #missing = [];

  /**
   * Starts a table; rows before the first call stand in one without a title.
   *
   * @param {string} title
   */
  table(title) {
    this.#tables.push({ title, rows: [] });
  }

  /**
   * @param {string} name what was measured
   * @param {Record<string, number | string>} metrics by name with its unit last, `p50Ms`; the first is compared
   */
  row(name, metrics) {
    if (Object.keys(metrics).length === 0) throw new RangeError(`the row "${name}" has no metric`);
    if (this.#tables.length === 0) this.table('');
    this.#tables.at(-1).rows.push({ name, metrics });
  }

  /** @param {string} text a sentence that stands below the tables */
  note(text) {
    this.#notes.push(text);
  }

  /**
   * Says how a figure stands to what is aimed at.
   *
   * @param {string} name what was measured
   * @param {number} got
   * @param {'at least' | 'at most'} kind
   * @param {number} bound
   */
  verdict(name, got, kind, bound) {
    if (!Number.isFinite(got)) {
      this.#missing.push(name);
      return this.note(`NOT MEASURED: ${name}, target ${kind} ${bound}.`);
    }
    const holds = kind === 'at least' ? got >= bound : got <= bound;
    const text = got >= 100 ? Math.round(got) : Number(got.toPrecision(3));
    this.note(`${holds ? 'MET' : 'NOT MET'}: ${name} ${text}, target ${kind} ${bound}.`);
  }

  /**
   * Says what was not measured, and why: a peer, or a part that this machine lacks something for.
   *
   * @param {string} what
   * @param {string} why `needs Rust`
   */
  leftOut(what, why) {
    this.#leftOut.push(`${what}, ${why}`);
    this.note(`Left out: ${what}, ${why}.`);
  }

  /** Each thing that was left out, with its reason. */
  get leftOutOnes() {
    return [...this.#leftOut];
  }

  /** What has no result: tables without a row, figures that are no numbers, and all where there is no table. @returns {string[]} */
  get missing() {
    if (this.#tables.length === 0) return ['every table'];
    const ofTable = ({ title, rows }) =>
      rows.length === 0
        ? [`"${title}" as a whole`]
        : rows.flatMap(({ name, metrics }) =>
            Object.keys(metrics)
              .filter(metric => !isResult(metrics[metric]))
              .map(metric => `${metric} of "${name}" in "${title}"`),
          );
    return [...this.#missing, ...this.#tables.flatMap(ofTable)];
  }

  /** Tables with `ratio`, each row's first metric over that of the table's first row, two digits. */
  get result() {
    const tables = this.#tables.map(({ title, rows }) => {
      const [metric] = Object.keys(rows[0]?.metrics ?? {});
      const base = rows[0]?.metrics[metric];
      return { title, rows: rows.map(row => ({ ...row, ratio: ratio(row.metrics[metric], base) })) };
    });
    return { tables, notes: this.#notes };
  }

  /** @returns {string} Markdown tables, readable in a terminal too */
  markdown() {
    const { tables, notes } = this.result;
    return [...tables.map(markdownTable), ...notes.map(note => `${note}\n`)].join('\n');
  }
}

const isResult = value => (typeof value === 'string' ? value !== '' : Number.isFinite(value));

function ratio(value, base) {
  if (typeof value !== 'number' || typeof base !== 'number' || base === 0) return undefined;
  return Number((value / base).toPrecision(3));
}

function markdownTable({ title, rows }) {
  const metrics = [...new Set(rows.flatMap(row => Object.keys(row.metrics)))];
  const head = [title || 'what', ...metrics, metrics[0] ? `${metrics[0]} vs first` : ''];
  const body = rows.map(({ name, metrics: values, ratio: times }) => [
    name,
    ...metrics.map(metric => format(values[metric])),
    times === undefined ? '' : `${times}×`,
  ]);
  const width = head.map((_, column) => Math.max(3, ...[head, ...body].map(row => row[column].length)));
  const pad = (text, column) => (column === 0 ? text.padEnd(width[column]) : text.padStart(width[column]));
  const line = cells => `| ${cells.map(pad).join(' | ')} |\n`;
  const rule = width.map((size, column) => (column === 0 ? '-'.repeat(size) : `${'-'.repeat(size - 1)}:`));
  return [line(head), line(rule), ...body.map(line)].join('');
}

function format(value) {
  if (typeof value !== 'number') return value ?? '';
  if (Number.isInteger(value)) return value.toLocaleString('en-US');
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)));
}

/**
 * Where and on what a benchmark ran.
 *
 * @param {string} root
 * @param {string[]} packages names in node_modules whose versions matter
 */
export function provenance(root, packages) {
  const git = args => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const version = name =>
    JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version;
  return {
    date: new Date().toISOString(),
    commit: git(['rev-parse', '--short', 'HEAD']) + (git(['status', '--porcelain']) ? ' with changes' : ''),
    machine: cpus()[0].model,
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    packages: Object.fromEntries(packages.map(name => [name, version(name)])),
  };
}

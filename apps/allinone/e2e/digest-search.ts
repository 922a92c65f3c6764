import { blake3 } from '@noble/hashes/blake3.js';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';

/** Where a digest was found. */
export interface DigestFound {
  readonly what: string;
  readonly where: string;
}

const FLAGS = 2 ** 20;
/** Which flag stands for the first four bytes of a form. */
const flagOf = (start: number) => Math.imul(start, 0x9e3779b1) >>> 12;

/** The digits of base64 that bytes alone make, behind so many others: the first and the last may carry bits of what is beside them. */
function base64Behind(before: number, bytes: Buffer, encoding: 'base64' | 'base64url'): string {
  const digits = Buffer.concat([Buffer.alloc(before), bytes]).toString(encoding);
  return digits.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
}

/** Looks for digests in what a product leaves behind, in every form in which one is written: bytes, hexadecimal, base64. */
export class DigestSearch {
  private readonly forms = new Map<number, { readonly bytes: Buffer; readonly what: string }[]>();
  /** Most bytes of a file begin no form: a flag says so before the map is asked. */
  private readonly flags = new Uint8Array(FLAGS);
  private readonly known = new Set<string>();

  /** @param what it is of: shown where it is found */
  add(digest: Uint8Array, what: string): void {
    const bytes = Buffer.from(digest);
    const hex = bytes.toString('hex');
    if (this.known.has(hex)) return;
    this.known.add(hex);
    // In the midst of other bytes it begins with any of three places of a group of base64.
    const texts = [
      ...[hex, hex.toUpperCase()],
      ...[0, 1, 2].flatMap(before =>
        (['base64', 'base64url'] as const).map(encoding => base64Behind(before, bytes, encoding)),
      ),
    ];
    for (const form of [bytes, ...texts.map(text => Buffer.from(text))]) {
      const start = form.readInt32LE(0);
      this.flags[flagOf(start)] = 1;
      this.forms.set(start, [...(this.forms.get(start) ?? []), { bytes: form, what }]);
    }
  }

  /** Both digests of a text or of bytes. */
  addAllOf(content: string | Uint8Array, what: string): void {
    const bytes = Buffer.from(content);
    this.add(createHash('sha256').update(bytes).digest(), `SHA-256 of ${what}`);
    this.add(blake3(bytes), `BLAKE3 of ${what}`);
  }

  in(content: Buffer, where: string): DigestFound[] {
    const found: DigestFound[] = [];
    for (let at = -3, start = 0; at + 4 <= content.length; at++) {
      start = (start >>> 8) | (content[at + 3] << 24);
      if (at < 0 || this.flags[flagOf(start)] === 0) continue;
      for (const { bytes, what } of this.forms.get(start) ?? [])
        if (content.subarray(at, at + bytes.length).equals(bytes)) found.push({ what, where });
    }
    return found;
  }

  /** Every column of every table of every schema, and what bytes hold as they are. */
  async inDatabase(url: string): Promise<DigestFound[]> {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      const found: DigestFound[] = [];
      const { rows: columns } = await client.query<{ schema: string; name: string; column: string }>(
        `SELECT table_schema AS schema, table_name AS name, column_name AS column FROM information_schema.columns
           JOIN information_schema.tables USING (table_schema, table_name)
          WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
      );
      for (const { schema, name, column } of columns) {
        const quoted = [schema, name, column].map(each => client.escapeIdentifier(each));
        const { rows } = await client.query<{ text: string }>(
          `SELECT ${quoted[2]}::text AS text FROM ${quoted[0]}.${quoted[1]} WHERE ${quoted[2]} IS NOT NULL`,
        );
        for (const { text } of rows) {
          const where = `${schema}.${name}.${column}`;
          const bytes = text.startsWith('\\x') ? [Buffer.from(text.slice(2), 'hex')] : [];
          for (const content of [Buffer.from(text), ...bytes]) found.push(...this.in(content, where));
        }
      }
      return found;
    } finally {
      await client.end();
    }
  }

  /** Every file of a folder. */
  inFolder(folder: string): DigestFound[] {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .flatMap(entry => {
        const path = join(entry.parentPath, entry.name);
        return this.in(readFileSync(path), path.slice(folder.length + 1));
      });
  }
}

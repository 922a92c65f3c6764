import { readFileSync } from 'node:fs';

const PAGE = new URL('../../../docs/mcp.md', import.meta.url);

/** Where a client calls, and the headers that it sends, `$NAME` of its environment filled in. */
export interface ClientSetup {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

type Variables = Readonly<Record<string, string>>;

/** A snippet as its client reads it; what its client does not know makes it throw. */
type Reader = (text: string, variables: Variables) => ClientSetup;

/**
 * The set-ups of the page on MCP, by client.
 * @param variables of the environment in which the clients run
 * @throws Error for a snippet that its client would not read
 */
export function clientSetups(variables: Variables): Record<string, ClientSetup> {
  const section = /## In a client\n([^]*?)\n## /.exec(readFileSync(PAGE, 'utf8'))![1];
  const parts = section.split(/^```\w*\n/m);
  return Object.fromEntries(
    parts.flatMap((prose, index) => {
      // Behind each fence that ends a snippet comes the prose of the next one.
      if (index % 2 === 1 || index + 1 === parts.length) return [];
      const client = /^([A-Z][A-Za-z ]+)[,:]/.exec(prose.trim().split('\n\n').at(-1)!)?.[1] ?? '';
      if (!Object.hasOwn(READERS, client)) throw new Error(`no reader for ${prose}`);
      return [[client, READERS[client](parts[index + 1], variables)]];
    }),
  );
}

const READERS: Record<string, Reader> = {
  'Claude Code': (text, variables) => {
    const [program, ...argv] = shellWords(text, variables);
    const [mcp, add, flag, transport, name, url, header, line, ...more] = argv;
    same([program, mcp, add, flag, transport], ['claude', 'mcp', 'add', '--transport', 'http']);
    same([name, header, ...more], ['svc', '--header']);
    return { url, headers: headerOf(line) };
  },
  'VS Code': (text, variables) => {
    const { type, ...rest } = only(only(JSON.parse(text), 'servers'), 'svc');
    same(type, 'http');
    return remote(rest, variables);
  },
  Cursor: (text, variables) => remote(only(only(JSON.parse(text), 'mcpServers'), 'svc'), variables),
  Codex: (text, variables) => {
    const [, url, header, name] =
      /^\[mcp_servers\.svc\]\nurl = "([^"]+)"\nenv_http_headers = \{ "([^"]+)" = "(\w+)" \}\n$/.exec(text)!;
    return { url, headers: { [header]: filled(`\${${name}}`, variables) } };
  },
  'Claude Desktop': (text, variables) => {
    const { command, args, env, ...more } = only(only(JSON.parse(text), 'mcpServers'), 'svc');
    const [yes, bridge, url, flag, line, ...rest] = args as string[];
    same([command, yes, bridge, flag, ...rest], ['npx', '-y', 'mcp-remote', '--header']);
    same([Object.keys(env as object), more], [['SVC_KEY'], {}]);
    return { url, headers: headerOf(filled(line, variables)) };
  },
};

/** The words of one simple command, as a POSIX shell takes them. */
function shellWords(text: string, variables: Variables): string[] {
  const words = text.trim().match(/"[^"]*"|\S+/g) ?? [];
  if (/[;&|<>`'\\\n]/.test(text.trim())) throw new Error(`no simple command: ${text}`);
  return words.map(word => filled(word.replace(/^"([^"]*)"$/, '$1'), variables));
}

function remote(given: Record<string, unknown>, variables: Variables): ClientSetup {
  const { url, headers, ...more } = given;
  same(more, {});
  const filledIn = Object.entries(headers as object).map(([name, value]) => [
    name,
    filled(value, variables, 'env:'),
  ]);
  return { url: url as string, headers: Object.fromEntries(filledIn) };
}

/** @param prefix that a client wants before the name of a variable; only a shell does without braces */
function filled(text: string, variables: Variables, prefix = ''): string {
  return text.replace(/\$(?:(\w+)|\{([\w:]+)\})/g, (_, bare?: string, braced?: string) => {
    const name = bare ?? (braced!.startsWith(prefix) ? braced!.slice(prefix.length) : '');
    if (!Object.hasOwn(variables, name)) throw new Error(`no variable: ${text}`);
    return variables[name];
  });
}

function headerOf(line: string): Record<string, string> {
  const [, name, value] = /^([\w-]+): ?(\S+)$/.exec(line)!;
  return { [name]: value };
}

function only(given: Record<string, unknown>, name: string): Record<string, unknown> {
  same(Object.keys(given), [name]);
  return given[name] as Record<string, unknown>;
}

function same(given: unknown, expected: unknown): void {
  const [left, right] = [JSON.stringify(given), JSON.stringify(expected)];
  if (left !== right) throw new Error(`${left} in the place of ${right}`);
}

import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

/** How long one server is waited for, and how often it is asked. */
const ASKED = { timeout: 2_000, tries: 2 };
/** Addresses of a name that are looked at and may be called, of each family: a name may have thousands. */
const ADDRESSES_MAX = 16;
/** For how long the names of this machine's own file are known, milliseconds. */
const HOSTS_KNOWN_MS = 30_000;
const HOSTS_PATH = '/etc/hosts';

/** Where names are asked for. */
export interface NameSources {
  /** Name servers as `address:port`; those of the system by default. */
  readonly servers?: readonly string[];
  /** The file of this machine's own names, which go before those of the servers. */
  readonly hostsPath?: string;
}

/**
 * All addresses of a name, asked over sockets of the event loop. The resolver of the system (`dns.lookup`) takes one of the four
 * threads that files, digests and keys share for as long as a name server is silent, and cannot be stopped: four names of a stranger
 * would hold up everything else. As with it, names of `/etc/hosts` go first and `localhost` is this machine. Domains to search in are
 * not tried: who is called has a full name.
 *
 * @throws an error of the resolver where the name has no address, or nobody says so before `signal` is aborted
 * @example const [{ address }] = await resolveName('hooks.example.com', AbortSignal.timeout(5_000))
 */
export async function resolveName(
  host: string,
  signal: AbortSignal,
  { servers, hostsPath = HOSTS_PATH }: NameSources = {},
): Promise<readonly LookupAddress[]> {
  const name = host.toLowerCase().replace(/\.$/, '');
  const own = (await namesOf(hostsPath)).get(name);
  if (own) return own;
  if (name === 'localhost' || name.endsWith('.localhost')) return LOOPBACK;
  signal.throwIfAborted();
  // One for each name, because all that a resolver asks ends together.
  const resolver = new Resolver(ASKED);
  if (servers) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = [...addressesOf(v4, 4), ...addressesOf(v6, 6)];
    if (found.length === 0 && v4.status === 'rejected') throw v4.reason;
    return found;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

function addressesOf(answer: PromiseSettledResult<string[]>, family: number): LookupAddress[] {
  if (answer.status === 'rejected') return [];
  return answer.value.slice(0, ADDRESSES_MAX).map(address => ({ address, family }));
}

type OwnNames = ReadonlyMap<string, readonly LookupAddress[]>;

const known = new Map<string, { readonly atMs: number; readonly names: Promise<OwnNames> }>();

/** The names of a file, read again after a while. */
function namesOf(path: string): Promise<OwnNames> {
  const nowMs = performance.now();
  const read = known.get(path);
  if (read && nowMs - read.atMs < HOSTS_KNOWN_MS) return read.names;
  const names = readFile(path, 'utf8').then(ownNames, () => new Map());
  known.set(path, { atMs: nowMs, names });
  return names;
}

function ownNames(text: string): OwnNames {
  const names = new Map<string, LookupAddress[]>();
  for (const line of text.split('\n')) {
    const [address, ...hosts] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const host of hosts) {
      const name = host.toLowerCase();
      names.set(name, [...(names.get(name) ?? []), { address, family }]);
    }
  }
  return names;
}

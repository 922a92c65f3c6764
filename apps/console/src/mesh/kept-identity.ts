import { createPeerIdentity, generateKeyPair, identityOfKeyPair, type PeerIdentity } from '@svc/client/mesh';

const DATABASE = 'svc-mesh';
const STORE = 'identities';
const TAB_ID = 'svc-mesh-tab';
/** Key pairs that this browser keeps; the oldest go first. */
const KEPT_MAX = 16;

/** A key pair as it is kept; its private half cannot be read out, not even by this page. */
interface Kept {
  readonly keyPair: CryptoKeyPair;
  readonly usedAtMs: number;
}

/**
 * The identity of this tab: the same after a reload, another in every other tab, so that two tabs are two peers. Where the
 * browser has no key pairs of Ed25519, or no store for them (a private window), it is a new one each time.
 */
export async function identityOfTab(): Promise<PeerIdentity> {
  try {
    const store = await openStore();
    const tabId = await claimTabId();
    const kept = (await settle(store('readonly').get(tabId))) as Kept | undefined;
    const keyPair = kept?.keyPair ?? (await generateKeyPair());
    if (keyPair === undefined) return await createPeerIdentity();
    await settle(store('readwrite').put({ keyPair, usedAtMs: Date.now() } satisfies Kept, tabId));
    await dropOldest(store);
    return await identityOfKeyPair(keyPair);
  } catch {
    return createPeerIdentity();
  }
}

type Store = (mode: IDBTransactionMode) => IDBObjectStore;

async function openStore(): Promise<Store> {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE);
  const database = await settle(request);
  return mode => database.transaction(STORE, mode).objectStore(STORE);
}

/** A tab that is duplicated has the name of the first: whoever does not get its lock takes another. */
async function claimTabId(): Promise<string> {
  const known = sessionStorage.getItem(TAB_ID);
  if (known !== null && (await holdWhileOpen(known))) return known;
  const tabId = [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16)).join('-');
  sessionStorage.setItem(TAB_ID, tabId);
  await holdWhileOpen(tabId);
  return tabId;
}

function holdWhileOpen(tabId: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(`${DATABASE}-${tabId}`, { ifAvailable: true }, lock => {
        resolve(lock !== null);
        // Held until the tab is closed: its promise is never kept.
        return lock === null ? undefined : new Promise(() => undefined);
      })
      .catch(reject);
  });
}

async function dropOldest(store: Store): Promise<void> {
  const objects = store('readwrite');
  const [keys, kept] = await Promise.all([
    settle(objects.getAllKeys()),
    settle(objects.getAll() as IDBRequest<Kept[]>),
  ]);
  const byAge = keys.map((key, i) => ({ key, usedAtMs: kept[i].usedAtMs }));
  byAge.sort((one, other) => other.usedAtMs - one.usedAtMs);
  const drop = store('readwrite');
  for (const { key } of byAge.slice(KEPT_MAX)) drop.delete(key);
}

function settle<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('the store of this browser cannot be used'));
  });
}

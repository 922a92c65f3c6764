import type { MeshPeer } from '@svc/client/mesh';
import type { PeerDocument } from '@svc/mesh';
import { byId, definitions, element, field, form } from './dom.js';

/** Characters of a value that the table shows. */
const SHOWN_CHARS_MAX = 400;
const ROWS_MAX = 200;

/** Shows the map `shared`, lets it be changed, and shows the hash of the state and the nodes, as they change. */
export function showDocument(peer: MeshPeer): void {
  const rows = element('tbody');
  const hash = element('div');
  const nodes = element('div');
  let isDue = false;
  const draw = () => {
    isDue = false;
    const { document } = peer;
    rows.replaceChildren(...rowsOf(document));
    hash.replaceChildren(definitions([['State hash', document.stateHash]]));
    nodes.replaceChildren(nodesOf(document, peer.identity.keyHash));
  };
  // Many changes come together, and the hash is of the whole: once a frame is often enough.
  const drawSoon = () => {
    if (!isDue) requestAnimationFrame(draw);
    isDue = true;
  };
  const watch = (document: PeerDocument) => {
    document.document.on('update', drawSoon);
    drawSoon();
  };
  watch(peer.document);
  peer.on('documentRenewed', watch);
  const head = element('tr', {}, ...['Key', 'Value', ''].map(name => element('th', { scope: 'col' }, name)));
  byId('document').append(hash, element('table', {}, element('thead', {}, head), rows), entryForm(peer));
  byId('nodes').append(nodes);
}

function rowsOf({ shared }: PeerDocument): HTMLElement[] {
  const entries = Object.entries(shared.toJSON()).sort(([one], [other]) => (one < other ? -1 : 1));
  if (entries.length === 0)
    return [element('tr', {}, element('td', { colspan: '3', class: 'quiet' }, 'Nothing yet.'))];
  return entries.slice(0, ROWS_MAX).map(([key, value]) => {
    const remove = element('button', { type: 'button', class: 'plain', 'aria-label': `Delete ${key}` }, '×');
    remove.addEventListener('click', () => shared.delete(key));
    const text = JSON.stringify(value).slice(0, SHOWN_CHARS_MAX);
    return element(
      'tr',
      { 'data-key': key },
      element('td', {}, key),
      element('td', { class: 'mono' }, text),
      element('td', {}, remove),
    );
  });
}

function entryForm(peer: MeshPeer): HTMLElement {
  const key = field('Key', { name: 'key', required: true, maxlength: '256' });
  const value = field('Value (JSON, or text)', { name: 'value', required: true, maxlength: '65536' });
  const set = element('button', { type: 'submit' }, 'Set');
  return form([key.label, value.label, set], () => {
    peer.document.shared.set(key.input.value, readValue(value.input.value));
    value.input.value = '';
  });
}

/** JSON where it is some, else the text itself. */
export function readValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function nodesOf({ nodes }: PeerDocument, ownKeyHash: string): HTMLElement {
  const entries = [...nodes.entries()].sort(([, one], [, other]) => other.since - one.since);
  if (entries.length === 0) return element('p', { class: 'quiet' }, 'None is entered yet.');
  const head = element('tr', {}, ...['Peer', 'Since'].map(name => element('th', { scope: 'col' }, name)));
  const rows = entries.slice(0, ROWS_MAX).map(([keyHash, { publicKey, identity, since }]) => {
    const own = keyHash === ownKeyHash ? ' (this page)' : '';
    const name = element('td', {}, element('span', { class: 'mono' }, publicKey), own);
    const time = new Date(since).toLocaleTimeString();
    return element('tr', { 'data-node': keyHash }, name, element('td', {}, `${time}, ${identity}`));
  });
  return element('table', {}, element('thead', {}, head), element('tbody', {}, ...rows));
}

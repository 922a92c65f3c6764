import type { MeshPeer, MeshPeerState, MeshSessionView } from '@svc/client/mesh';
import { byId, definitions, element } from './dom.js';

/** What the library checked before it connected; an answer that fails one of these is never connected. */
const CHECKS = [
  'The answer is signed over exactly this offer, by a key that the service publishes.',
  'The certificate at the other end is the one that was signed.',
  'This page’s offer is signed by its own key, for its own certificate.',
];

/** State, session, and what was verified before the connection was made. */
export function showConnection(peer: MeshPeer): void {
  const panel = byId('connection');
  const body = element('div');
  panel.append(body);
  const show = (session: MeshSessionView | undefined) => {
    body.replaceChildren(
      definitions([
        ['This peer', peer.identity.publicKey],
        ...(session === undefined ? [] : rowsOf(session)),
      ]),
      ...(session === undefined
        ? [element('p', { class: 'quiet' }, 'No connection at the moment.')]
        : [checks()]),
    );
  };
  show(peer.session);
  showState(peer.state);
  peer.on('open', show);
  peer.on('state', state => {
    showState(state);
    if (state !== 'open') show(undefined);
  });
}

function rowsOf(session: MeshSessionView): [string, string][] {
  return [
    ['Identity', session.identity],
    ['Session', session.sessionId],
    ['Replica', session.nodeId],
    ['Own certificate', session.fingerprint],
    ['Service’s certificate', session.serviceFingerprint],
    ['Signed by', session.servicePublicKey],
  ];
}

function checks(): HTMLElement {
  return element(
    'ul',
    { class: 'checks', 'aria-label': 'Verified' },
    ...CHECKS.map(text => element('li', {}, text)),
  );
}

/** The badge beside the title. */
export function showState(state: MeshPeerState): void {
  const badge = byId('state');
  badge.textContent = state;
  badge.dataset.state = state;
}

/** Says what went wrong, or that nothing does any more. */
export function showFault(error: unknown): void {
  const fault = byId('fault');
  fault.hidden = error === undefined;
  if (error === undefined) return;
  const { code, message } = error as { code?: string; message?: string };
  fault.textContent = [code, message ?? String(error)].filter(Boolean).join(': ');
}

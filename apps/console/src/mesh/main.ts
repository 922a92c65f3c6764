import { joinMesh, type MeshPeer } from '@svc/client/mesh';
import { showConnection, showFault, showState } from './connection-panel.js';
import { showDirect } from './direct-panel.js';
import { showDocument } from './document-panel.js';
import { boundedList, byId, element } from './dom.js';
import { showEcho } from './echo-panel.js';
import { identityOfTab } from './kept-identity.js';

const LOG_MAX = 500;

/** The messages of `ctl`, and what the library does about them. */
function showLog(peer: MeshPeer): void {
  const log = boundedList('Messages of the service', LOG_MAX);
  byId('log').append(log.list);
  const add = (text: string) => {
    const time = new Date().toLocaleTimeString();
    log.add(element('li', { class: 'mono' }, `${time} ${text}`));
  };
  // It came before anybody could listen here.
  if (peer.session) add(`open ${peer.session.sessionId}`);
  // Pongs say only what the measurement of the echo shows better.
  peer.on('control', message => message.type !== 'pong' && add(JSON.stringify(message)));
  peer.on('open', ({ sessionId }) => add(`open ${sessionId}`));
  peer.on('lost', ({ retryInMs }) => add(`lost; tried again in ${Math.round(retryInMs)} ms`));
  peer.on('documentRenewed', () => add('the document is begun anew'));
}

try {
  const peer = await joinMesh({ baseUrl: location.origin, identity: await identityOfTab() });
  showConnection(peer);
  showDocument(peer);
  showDirect(peer);
  showEcho(peer);
  showLog(peer);
  peer.on('closed', ({ error }) => showFault(error));
  addEventListener('pagehide', () => void peer.close());
} catch (error) {
  showState('closed');
  showFault(error);
}

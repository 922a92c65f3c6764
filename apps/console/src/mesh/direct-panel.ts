import type { DirectConnection, MeshPeer } from '@svc/client/mesh';
import { boundedList, byId, element, field, form } from './dom.js';

const MESSAGES_MAX = 200;
const MESSAGE_CHARS_MAX = 4_096;
/** `#peer=<key>`: a link to this page that asks for a connection to whoever made it. */
const PEER_IN_LINK = /^#peer=([0-9a-f]{64,130})$/;

/** Lets this peer be found, asks others for a direct channel, and speaks on it. */
export function showDirect(peer: MeshPeer): void {
  const talk = new Talk();
  const target = field('Public key of another peer', { name: 'peer', required: true, class: 'mono' });
  const button = element('button', { type: 'submit' }, 'Connect');
  const status = element('p', { class: 'quiet', role: 'status' });
  const connect = async () => {
    button.disabled = true;
    status.textContent = 'Asking for a connection…';
    try {
      talk.begin(await peer.connectTo({ targetKey: target.input.value.trim() }));
      status.textContent = '';
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      status.textContent = [code, message].filter(Boolean).join(': ');
    } finally {
      button.disabled = false;
    }
  };
  target.input.value = PEER_IN_LINK.exec(location.hash)?.[1] ?? '';
  byId('direct').append(
    linkTo(peer.identity.publicKey),
    form([target.label, button], () => void connect()),
    status,
    talk.view,
  );
  peer
    .listen({ onConnection: direct => talk.begin(direct) })
    .catch((error: Error) => (status.textContent = `Cannot be found by others: ${error.message}`));
}

/** What to give to somebody who is to connect here. */
function linkTo(publicKey: string): HTMLElement {
  const url = new URL(location.href);
  url.hash = `peer=${publicKey}`;
  const link = element('a', { href: url.href, target: '_blank', rel: 'noopener' }, 'this link');
  return element(
    'p',
    { class: 'quiet' },
    'Whoever opens ',
    link,
    ' can connect to this page, past the service.',
  );
}

/** The channel of now, and what was said on it. */
class Talk {
  readonly view = element('div', { hidden: true });
  private readonly said = boundedList('Messages', MESSAGES_MAX);
  private readonly who = element('p', { class: 'quiet mono' });
  private readonly text = field('Message', {
    name: 'message',
    maxlength: `${MESSAGE_CHARS_MAX}`,
    required: true,
  });
  private direct: DirectConnection | undefined;

  constructor() {
    const send = element('button', { type: 'submit' }, 'Send');
    this.view.append(
      this.who,
      this.said.list,
      form([this.text.label, send], () => this.send()),
    );
  }

  /** One at a time: another one takes the place of the one before. */
  begin(direct: DirectConnection): void {
    this.direct?.close();
    this.direct = direct;
    this.view.hidden = false;
    this.who.textContent = `Proven key ${direct.peer.publicKey}`;
    this.add('quiet', direct.isOwnOffer ? 'connected' : 'connected, as it asked to');
    direct.channel.addEventListener('message', ({ data }) => {
      if (typeof data === 'string') this.add('theirs', data.slice(0, MESSAGE_CHARS_MAX));
    });
    void direct.gone.then(() => {
      if (this.direct !== direct) return;
      this.direct = undefined;
      this.add('quiet', 'the channel is gone');
    });
  }

  private send(): void {
    if (this.direct?.channel.readyState !== 'open') return this.add('quiet', 'not sent: there is no channel');
    this.direct.channel.send(this.text.input.value);
    this.add('own', this.text.input.value);
    this.text.input.value = '';
  }

  private add(kind: 'own' | 'theirs' | 'quiet', text: string): void {
    this.said.add(element('li', { class: kind }, kind === 'own' ? `You: ${text}` : text));
  }
}

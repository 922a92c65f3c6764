import { IceServers } from './ice-servers.js';

const KEY_HASH = '0123456789abcdef'.repeat(4);
const STUN = ['stun:stun.example.org'];
const TURN = ['turn:turn.example.org:3478', 'turns:turn.example.org'];

describe('the servers of ICE that a peer is told of', () => {
  it('are none where none are configured', () => {
    const servers = new IceServers({ stunUrls: [], turnUrls: [], turnSecret: 'unused' });
    expect(servers.of(KEY_HASH, 0)).toEqual([]);
  });

  it('have a credential for the relays alone, as coturn makes it of the same secret', () => {
    const servers = new IceServers({ stunUrls: STUN, turnUrls: TURN, turnSecret: 'north' });
    // printf 1700003600:0123456789abcdef | openssl dgst -sha1 -hmac north -binary | base64
    expect(servers.of(KEY_HASH, 1_700_000_000_999)).toEqual([
      { urls: STUN },
      { urls: TURN, username: '1700003600:0123456789abcdef', credential: 'bngP3/mBcA7mmNEkXzWoYpHypng=' },
    ]);
  });
});

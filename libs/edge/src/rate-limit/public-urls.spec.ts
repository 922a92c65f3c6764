import { PublicUrls } from './public-urls.js';

describe('the addresses that the public knows', () => {
  const urls = new PublicUrls([
    'https://svc.example',
    'https://Desks.svc.example:8443/',
    'http://127.0.0.1:3000',
  ]);

  it.each([
    ['svc.example', 'https://svc.example'],
    ['SVC.example', 'https://svc.example'],
    ['svc.example:443', 'https://svc.example'],
    ['desks.svc.example:8443', 'https://desks.svc.example:8443'],
    ['127.0.0.1:3000', 'http://127.0.0.1:3000'],
  ])('%s is of %s', (host, origin) => expect(urls.of(host)?.origin).toBe(origin));

  it.each([
    '',
    'svc.example.evil.example',
    'evil.example',
    'svc.example:3000',
    'desks.svc.example',
    'svc.example@evil.example',
  ])('%j is of none', host => expect(urls.of(host)).toBeUndefined());

  it.each([
    'svc.example',
    'http://svc.example',
    'https://svc.example/path',
    'https://a:b@svc.example',
    'ftp://127.0.0.1',
    '',
  ])('%j is none', text => expect(() => new PublicUrls([text])).toThrow(/must be/));
});

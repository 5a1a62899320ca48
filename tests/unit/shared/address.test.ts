import { describe, expect, test } from 'vitest';
import { parseServerAddress, serverAddress } from '#shared/tunnel/address.ts';

describe('server address', () => {
  test('the connect URL takes protocol anyconnect and port 443 where the server names none', () => {
    expect(serverAddress({ domain: 'gw.example.net' })).toBe('anyconnect://gw.example.net:443');
  });

  test.each([
    ['anyconnect://gw.example.net:4443', { host: 'gw.example.net', port: 4443 }],
    ['gw.example.net', { host: 'gw.example.net', port: 443 }],
    ['anyconnect://[2001:db8::1]:443', { host: '2001:db8::1', port: 443 }],
  ])('%s is read', (address, expected) => {
    expect(parseServerAddress(address)).toEqual(expected);
  });

  test.each([
    'wireguard://gw.example.net',
    'anyconnect://user@gw.example.net',
    'anyconnect://-oProxyCommand=x',
    'anyconnect://gw.example.net:0',
    'anyconnect://gw.example.net:70000',
    'anyconnect://gw.example.net/path',
    'anyconnect://gw example',
    '',
  ])('%j is refused', (address) => {
    expect(parseServerAddress(address)).toBeUndefined();
  });
});

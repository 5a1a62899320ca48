import { describe, expect, test } from 'vitest';
import { parseServerAddress, serverAddress } from '#shared/tunnel/address.ts';

describe('server address', () => {
  test('the connect URL takes protocol anyconnect and port 443 where the server names none', () => {
    expect(serverAddress({ domain: 'gw.example.net' })).toBe('anyconnect://gw.example.net:443');
  });

  test.each([
    ['anyconnect://gw.example.net:4443', { host: 'gw.example.net', port: 4443 }, '/'],
    ['gw.example.net', { host: 'gw.example.net', port: 443 }, '/'],
    ['vpn_gw.my_company.example', { host: 'vpn_gw.my_company.example', port: 443 }, '/'],
    ['anyconnect://[2001:db8::1]:443', { host: '2001:db8::1', port: 443 }, '/'],
    ['anyconnect://gw.example.net:443/sales', { host: 'gw.example.net', port: 443 }, '/sales'],
    ['gw.example.net/?secret=a%20b', { host: 'gw.example.net', port: 443 }, '/?secret=a%20b'],
  ])('%s is read', (address, gateway, path) => {
    expect(parseServerAddress(address)).toEqual({ gateway, path });
  });

  test('the path is part of the address', () => {
    const server = { domain: 'gw.example.net', path: '/sales' };
    expect(serverAddress(server)).toBe('anyconnect://gw.example.net:443/sales');
    expect(parseServerAddress(serverAddress(server))?.path).toBe('/sales');
  });

  test.each([
    'wireguard://gw.example.net',
    'anyconnect://user@gw.example.net',
    'anyconnect://-oProxyCommand=x',
    'anyconnect://gw.example.net:0',
    'anyconnect://gw.example.net:70000',
    'anyconnect://gw.example.net//other.example.net',
    'anyconnect://gw.example.net/a b',
    'anyconnect://gw.example.net/a\r\nHost: b',
    'anyconnect://gw.example.net/#a',
    `anyconnect://gw.example.net/${'a'.repeat(300)}`,
    'anyconnect://gw example',
    '',
  ])('%j is refused', (address) => {
    expect(parseServerAddress(address)).toBeUndefined();
  });
});

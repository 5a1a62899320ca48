import { describe, expect, test } from 'vitest';
import {
  takeDeviceLogin,
  type DeviceLogin,
} from '../../../../../src/renderer/features/device-login/take-device-login.ts';

const deviceId = '0c7a4f6e-31b5-4a52-9d0c-9a9e2a1f4b11';

/** What is taken from an address, and the address that is left. */
function take(address: string): { login: DeviceLogin | undefined; left: string } {
  // As in a browser, the location is another one as soon as the history says so.
  const location = new URL(address, 'https://console.example');
  const history = {
    replaceState: (_state: unknown, _title: string, url?: string | URL | null) =>
      void (location.href = new URL(url ?? '', location).href),
  };
  const login = takeDeviceLogin(location, history);
  return { login, left: location.pathname + location.search };
}

const query = (more: string) => `/device-login?deviceId=${deviceId}&token=secret${more}`;

test('token and device id are taken, and nothing of the query is left', () => {
  expect(take(query('&next=%2Forders%3Fpage%3D2&inApp=1'))).toEqual({
    login: { deviceId, token: 'secret', next: '/orders?page=2', inApp: true },
    left: '/device-login',
  });
});

test.each(['/device-login/', '/DEVICE-LOGIN', '/Device-Login//', '/device%2dlogin'])(
  'at %s, which the router takes for the same page, they are taken, too',
  (address) => {
    expect(take(`${address}?deviceId=${deviceId}&token=secret`)).toEqual({
      login: { deviceId, token: 'secret', next: '/', inApp: false },
      left: '/device-login',
    });
  },
);

describe('next is a path of this app', () => {
  test.each([
    ['', '/'],
    ['&next=', '/'],
    ['&next=https://evil.example/', '/'],
    ['&next=//evil.example/', '/'],
    ['&next=/\\evil.example/', '/'],
    ['&next=%2F%2Fevil.example', '/'],
    ['&next=/%09/evil.example', '/'],
    ['&next=javascript:alert(1)', '/'],
    ['&next=/device-login', '/'],
    ['&next=/Device-Login/?token=x', '/'],
    ['&next=/x/../device-login', '/'],
    ['&next=/vpn', '/vpn'],
  ])('%s becomes %s', (more, next) => {
    expect(take(query(more)).login?.next).toBe(next);
  });
});

test.each([
  ['', false],
  ['&inApp=', false],
  ['&inApp=0', false],
  ['&inApp=false', false],
  ['&inApp=1', true],
  ['&inApp=true', true],
])('inApp from %j is %s', (more, inApp) => {
  expect(take(query(more)).login?.inApp).toBe(inApp);
});

test.each([
  '/device-login?token=secret',
  `/device-login?deviceId=${deviceId}`,
  '/device-login?token=&deviceId=',
])('%s signs nobody in, and leaves no query either', (address) =>
  expect(take(address)).toEqual({ login: undefined, left: '/device-login' }),
);

test.each(['/', '/login?token=secret', '/device-login', `/device-login/x?deviceId=${deviceId}&token=secret`])(
  '%s is left alone',
  (address) => expect(take(address)).toEqual({ login: undefined, left: address }),
);

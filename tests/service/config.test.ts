import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/service/config.ts';
import { unknownSettings } from '../../src/service/settings.ts';

const root = path.resolve(import.meta.dirname, '../..');

const development = { WAYMAKER_DEVELOPMENT: '1' };
const production = { SMTP_URL: 'smtps://mail.example.net', MAIL_FROM: 'Codes <codes@example.net>' };

test('in development it is a service for this machine, on a database of its own', () => {
  expect(readConfig(development)).toMatchObject({
    host: '127.0.0.1',
    port: 8787,
    socket: undefined,
    publicUrl: undefined,
    database: { kind: 'pglite', directory: path.join(root, '.waymaker/service') },
    mail: { kind: 'mailbox', port: 8025, socket: undefined },
    payments: { kind: 'sandbox' },
    seedFile: undefined,
    gatewayPasswordFile: undefined,
    trafficSpool: undefined,
    userLabelsFile: undefined,
    trial: { hours: 72, traffic: 20e9 },
  });
});

test('variables set to nothing, or to blanks, count as not set', () => {
  const empty = {
    ...development,
    WAYMAKER_SERVICE_PORT: '',
    WAYMAKER_TRIAL_HOURS: ' ',
    DATABASE_URL: '',
    SMTP_URL: '',
    WAYMAKER_PUBLIC_URL: '',
  };
  expect(readConfig(empty)).toEqual(readConfig(development));
});

test('a database, an SMTP server and a public address elsewhere', () => {
  const config = readConfig({
    DATABASE_URL: 'postgres://user:secret@db.example.net/waymaker',
    SMTP_URL: 'smtps://user:secret@mail.example.net',
    MAIL_FROM: 'Codes <codes@example.net>',
    WAYMAKER_PUBLIC_URL: 'https://vpn.example.net/console//',
  });
  expect(config).toMatchObject({
    publicUrl: 'https://vpn.example.net/console',
    database: { kind: 'postgresql', url: 'postgres://user:secret@db.example.net/waymaker' },
    mail: { kind: 'smtp', url: 'smtps://user:secret@mail.example.net', from: 'Codes <codes@example.net>' },
  });
});

test.each([
  { WAYMAKER_SERVICE_PORT: 'http' },
  { WAYMAKER_DEVELOPMENT: 'yes' },
  { WAYMAKER_PAYMENTS: 'free' },
  { WAYMAKER_MAILBOX_PORT: '-1' },
  { WAYMAKER_PUBLIC_URL: 'javascript:alert(1)' },
  { WAYMAKER_TRIAL_HOURS: '-1' },
  { WAYMAKER_TRUSTED_PROXIES: '127.0.0.1, proxy.example.net' },
  // Numbers that other programs take for a count of proxies, and ways to write an address that nobody means.
  { WAYMAKER_TRUSTED_PROXIES: '1' },
  { WAYMAKER_TRUSTED_PROXIES: '0x7f000001' },
  { WAYMAKER_TRUSTED_PROXIES: '10/8' },
  { WAYMAKER_LIMIT_FACTOR: '0' },
  { WAYMAKER_DOWNLOAD_LINUX_URL: 'javascript:alert(1)' },
  { WAYMAKER_SUPPORT_EMAIL: 'us' },
  { WAYMAKER_LATEST_VERSION: 'latest' },
  { SMTP_URL: 'http://mail.example.net' },
  { MAIL_FROM: 'Codes' },
  { MAIL_FROM: 'Codes <codes@example.net>\nBcc: everybody@example.net' },
  { WAYMAKER_PUBLIC_URL: 'https://vpn.example.net/?from=here' },
  { WAYMAKER_CONSOLE_URL: 'https://admin:secret@vpn.example.net' },
  { WAYMAKER_DATABASE_CONNECTIONS: '100000' },
  { WAYMAKER_DATABASE_TIMEOUT_SECONDS: '1e9' },
  { WAYMAKER_DATABASE_TIMEOUT_SECONDS: '0.0001' },
  { WAYMAKER_LIMIT_FACTOR: '1e300' },
  { WAYMAKER_TRIAL_HOURS: '1e15' },
  { WAYMAKER_TRIAL_GIGABYTES: '1e30' },
  { WAYMAKER_GATEWAY_PASSWORD_FILE: '/etc/{gateway}/passwd' },
  { WAYMAKER_GATEWAY_PASSWORD_FILE: '/etc/{gateway}-{gateway}' },
])('%j is refused', (variables) => {
  expect(() => readConfig({ ...production, ...variables })).toThrow(Object.keys(variables)[0]);
});

test('what looks like a setting and is none is found', () => {
  expect(
    unknownSettings({ ...development, WAYMAKER_SERVICE_PROT: '1', WAYMAKER_API_URL: 'x', HOME: '/' }),
  ).toEqual(['WAYMAKER_SERVICE_PROT']);
});

test('without the development setting nothing is bought, and codes are mailed', () => {
  expect(readConfig(production)).toMatchObject({ payments: { kind: 'off' }, mail: { kind: 'smtp' } });
  expect(() => readConfig({})).toThrow('SMTP_URL');
  expect(() => readConfig({ ...production, WAYMAKER_PAYMENTS: 'sandbox' })).toThrow('WAYMAKER_PAYMENTS');
});

describe.each([
  { WAYMAKER_PUBLIC_URL: 'https://vpn.example.net' },
  { WAYMAKER_CONSOLE_URL: 'HTTPS://vpn.example.net' },
])('with %j', (address) => {
  const here = { ...development, ...address };
  test('neither the mailbox nor the sandbox starts, whatever else is set', () => {
    expect(() => readConfig(here)).toThrow(/SMTP_URL[\s\S]*WAYMAKER_PAYMENTS/);
    expect(() => readConfig({ ...here, ...production })).toThrow('WAYMAKER_PAYMENTS');
    expect(() => readConfig({ ...here, WAYMAKER_PAYMENTS: 'off' })).toThrow('SMTP_URL');
  });

  test('a service without either does', () => {
    const safe = { ...here, ...production, WAYMAKER_PAYMENTS: 'off' };
    expect(readConfig(safe)).toMatchObject({ payments: { kind: 'off' }, mail: { kind: 'smtp' } });
  });
});

describe('payments by a provider', () => {
  const provider = {
    ...production,
    WAYMAKER_PAYMENTS: 'provider',
    WAYMAKER_PAYMENT_URL: 'https://pay.example.net/waymaker/',
    WAYMAKER_PAYMENT_SECRET: 'x'.repeat(32),
  };

  test('need its address and a secret', () => {
    expect(readConfig(provider).payments).toEqual({
      kind: 'provider',
      url: 'https://pay.example.net/waymaker',
      secret: 'x'.repeat(32),
    });
    for (const name of ['WAYMAKER_PAYMENT_URL', 'WAYMAKER_PAYMENT_SECRET']) {
      expect(() => readConfig({ ...provider, [name]: '' })).toThrow(name);
    }
    expect(() => readConfig({ ...provider, WAYMAKER_PAYMENT_SECRET: 'short' })).toThrow('PAYMENT_SECRET');
  });

  test('are asked for over https, but on this machine', () => {
    const at = (url: string) => readConfig({ ...provider, WAYMAKER_PAYMENT_URL: url }).payments;
    expect(() => at('http://pay.example.net')).toThrow('WAYMAKER_PAYMENT_URL');
    expect(at('http://127.0.0.1:8030')).toMatchObject({ url: 'http://127.0.0.1:8030' });
  });
});

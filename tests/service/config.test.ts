import path from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/service/config.ts';

const root = path.resolve(import.meta.dirname, '../..');

test('without any variable it is a service for this machine, on a database of its own', () => {
  expect(readConfig({})).toMatchObject({
    host: '127.0.0.1',
    port: 8787,
    socket: undefined,
    publicUrl: undefined,
    database: { kind: 'pglite', directory: path.join(root, '.waymaker/service') },
    mail: { kind: 'mailbox', port: 8025, socket: undefined },
    seedFile: undefined,
    gatewayPasswordFile: undefined,
    trafficSpool: undefined,
    userLabelsFile: undefined,
    trialHours: 72,
  });
});

test('variables set to nothing count as not set', () => {
  const empty = { WAYMAKER_SERVICE_PORT: '', DATABASE_URL: '', SMTP_URL: '', WAYMAKER_PUBLIC_URL: '' };
  expect(readConfig(empty)).toEqual(readConfig({}));
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
  { WAYMAKER_MAILBOX_PORT: '-1' },
  { WAYMAKER_PUBLIC_URL: 'javascript:alert(1)' },
  { WAYMAKER_TRIAL_HOURS: '0' },
  { WAYMAKER_DOWNLOAD_LINUX_URL: 'javascript:alert(1)' },
  { SMTP_URL: 'http://mail.example.net' },
])('%j is refused', (variables) => {
  expect(() => readConfig(variables)).toThrow(Object.keys(variables)[0]);
});

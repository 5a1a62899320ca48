// Stands in openconnect's place in its own tests and in ocserv's: it takes openconnect's options, signs in as the
// desktop app does, and hands the session to openconnect itself, which makes the tunnel.
import { createHash, type X509Certificate } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { mkdtempSync, readFileSync, readSync, rmSync } from 'node:fs';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { pino } from 'pino';
import { certificatePin } from '#node/anyconnect/certificate-pin.ts';
import type { Gateway } from '#shared/tunnel/state.ts';
import type { Question } from '../../src/main/gateway/sign-in/auth-answers.ts';
import { readCertificateFile, type ClientIdentity } from '../../src/main/gateway/client-certificate.ts';
import { createGatewayMemory } from '../../src/main/gateway/gateway-memory.ts';
import { followRedirects } from '../../src/main/gateway/sign-in/redirects.ts';
import type { SignInResult } from '../../src/main/gateway/sign-in/session.ts';
import { createSignIn } from '../../src/main/gateway/sign-in/sign-in.ts';
import { createSettings } from '../../src/main/preferences/settings.ts';
import { readCall, type OpenconnectCall } from './openconnect-options.ts';

const real = '/usr/sbin/openconnect';
const call = readCall(process.argv.slice(2));

/** Becomes openconnect itself, with the same process id. */
function become(args: readonly string[]): never {
  if (!process.execve) throw new Error('this Node.js has no execve');
  return process.execve(real, [real, ...args], process.env);
}

/** The next line of the input; undefined at its end. Not one byte more is read: the rest may be for others. */
function nextLine(): string | undefined {
  const bytes: number[] = [];
  const byte = Buffer.alloc(1);
  for (;;) {
    if (readSync(0, byte) === 0) return bytes.length === 0 ? undefined : Buffer.from(bytes).toString();
    if (byte[0] === 0x0a) return Buffer.from(bytes).toString();
    bytes.push(byte[0] ?? 0);
  }
}

const tell = (text: string | undefined) => text !== undefined && process.stderr.write(`${text}\n`);

/** The user, who has openconnect's options and its input. */
function answer({ form, fields }: Question): ReadonlyMap<string, string> | undefined {
  for (const text of [form.banner, form.message, form.error]) tell(text);
  const answers = new Map<string, string>();
  for (const field of fields) {
    const isName = field.kind === 'text' && /^(?:user|uname)/.test(field.name);
    const chosen = field.kind === 'select' ? groupIn(field.choices) : undefined;
    const given = chosen ?? (isName ? call.user : undefined) ?? nextLine();
    if (given === undefined) return undefined;
    answers.set(field.name, given);
  }
  return answers;
}

const groupIn = (choices: readonly { value: string; label: string }[]) =>
  choices.find(({ value, label }) => call.group === value || call.group === label)?.value;

function identityOf({ certificate, key, keyPassword = '' }: OpenconnectCall): ClientIdentity | undefined {
  if (certificate === undefined) return undefined;
  const isContainer = /\.(?:p12|pfx)$/.test(certificate);
  const file = isContainer
    ? readFileSync(certificate)
    : containerOf(certificate, key ?? certificate, keyPassword);
  const result = readCertificateFile(file, isContainer ? keyPassword : containerPassword);
  if (!result.ok) throw new Error(`the certificate cannot be imported: ${result.error}`);
  return result.identity;
}

const containerPassword = 'password of the file';

/** A certificate and its key as the app takes them: its user has to make such a file first. */
function containerOf(certificate: string, key: string, keyPassword: string): Buffer {
  const directory = mkdtempSync(path.join(tmpdir(), 'waymaker-peers-'));
  const file = path.join(directory, 'identity.p12');
  const keyFile = path.join(directory, 'key.pem');
  try {
    // `pkcs12` reads only PEM, `pkey` what openconnect reads.
    openssl(['pkey', '-in', key, '-passin', `pass:${keyPassword}`, '-out', keyFile]);
    openssl(
      ['pkcs12', '-export', '-in', certificate, '-inkey', keyFile, '-out', file].concat([
        '-passout',
        `pass:${containerPassword}`,
      ]),
    );
    return readFileSync(file);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function openssl(words: readonly string[]): void {
  const { status, stderr } = spawnSync('openssl', words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`openssl makes no PKCS#12 file of it: ${stderr}`);
}

const fullPin = /^pin-sha256:[A-Za-z0-9+/]{43}=$/;

/** The pins that the user trusts. openconnect's other notations say only whether they mean the key that is there. */
async function pinsAt({ host, port }: Gateway, address: string): Promise<string[]> {
  if (call.fingerprints.every((fingerprint) => fullPin.test(fingerprint))) return call.fingerprints;
  const certificate = await new Promise<X509Certificate | undefined>((resolve) => {
    const servername = isIP(host) === 0 ? host : '';
    const socket = tls.connect({ host: address, port, servername, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate());
      socket.destroy();
    });
    socket.on('error', () => resolve(undefined));
  });
  if (!certificate) return call.fingerprints;
  const pin = certificatePin(certificate);
  const key = certificate.publicKey.export({ type: 'spki', format: 'der' });
  const hex = (algorithm: string, bytes: Buffer) => createHash(algorithm).update(bytes).digest('hex');
  const notations = [
    `sha1:${hex('sha1', key)}`,
    `sha256:${hex('sha256', key)}`,
    hex('sha1', certificate.raw),
  ];
  return call.fingerprints.map((fingerprint) => {
    const shortest = fingerprint.indexOf(':') + 5;
    const isIt =
      pin.startsWith(fingerprint) || notations.some((text) => text.startsWith(fingerprint.toLowerCase()));
    return isIt && fingerprint.length >= shortest ? pin : fingerprint;
  });
}

async function addressesOf(host: string): Promise<string[]> {
  const given = call.resolved.get(host)?.map((address) => address.replace(/^\[|\]$/g, ''));
  if (given || isIP(host) !== 0) return given ?? [host];
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

async function signIn(gateway: Gateway, at: string, entrance: string): Promise<SignInResult> {
  const values = new Map<string, unknown>();
  const settings = createSettings({
    get: (key) => values.get(key),
    set: (key, value) => void values.set(key, value),
    delete: (key) => void values.delete(key),
    clear: () => values.clear(),
  });
  const memory = createGatewayMemory(settings);
  memory.setPath(gateway, entrance);
  if (call.group !== undefined) memory.setGroup(gateway, { value: call.group, label: call.group });
  const identity = identityOf(call);
  const log = pino({ level: 'info' }, pino.destination({ dest: 2, sync: true }));
  const password = call.user === undefined ? undefined : nextLine();
  const credentials =
    call.user === undefined || password === undefined ? undefined : { username: call.user, password };
  const hostAt = call.serverName === undefined ? gateway.host : at;
  const addresses = await addressesOf(hostAt);
  let result: SignInResult = { ok: false, failure: 'gateway-name-unknown' };
  for (const address of addresses) {
    const pins = await pinsAt(gateway, address);
    const options = {
      pins: () => ({ [gateway.host]: pins }),
      memory,
      identity: () => Promise.resolve(identity),
      openBrowser: () => Promise.resolve({ kind: 'cancelled' } as const),
      askUser: (question: Question) => Promise.resolve(answer(question)),
      version: '0.1.0',
      log,
    };
    const follow = followRedirects({
      signInAt: createSignIn(options),
      addresses: { resolve: addressesOf, remember: () => undefined },
      memory,
      log,
    });
    const { signal } = new AbortController();
    result = await follow({ gateway, address, credentials, interactive: 'forms', signal });
    if (result.ok || result.failure !== 'gateway-unreachable') break;
  }
  return result;
}

const quoted = (word: string) => `'${word.replaceAll("'", String.raw`'\''`)}'`;

if (call.isAlreadySignedIn || call.server === undefined) become(process.argv.slice(2));
const url = new URL(/^https?:\/\//.test(call.server) ? call.server : `https://${call.server}`);
const at = url.hostname.replace(/^\[|\]$/g, '');
const gateway = { host: call.serverName ?? at, port: Number(url.port || 443) };
let result: SignInResult;
try {
  result = await signIn(gateway, at, url.pathname + url.search);
} catch (error) {
  tell(String(error));
  process.exit(1);
}
if (!result.ok) {
  tell(`${result.failure}: ${result.words ?? ''}`);
  process.exit(1);
}
const { signedIn } = result;
const { cookie, certificatePin: pin } = signedIn.session;
tell(signedIn.banner);
switch (call.then) {
  case 'print-cookie':
    process.stdout.write(`${cookie}\n`);
    break;
  case 'print-all': {
    const { host, port } = signedIn.gateway;
    const said = {
      COOKIE: cookie,
      HOST: signedIn.address,
      CONNECT_URL: `https://${host}:${port}/`,
      FINGERPRINT: pin,
      RESOLVE: `${host}:${signedIn.address}`,
    };
    for (const [name, value] of Object.entries(said)) process.stdout.write(`${name}=${quoted(value)}\n`);
    break;
  }
  case 'connect':
    become([...call.rest, `--cookie=${cookie}`]);
    break;
  default:
    call.then satisfies never;
}

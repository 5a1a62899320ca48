import { lookup } from 'node:dns';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { byTrustedRoots, trustSystemRoots } from '#node/anyconnect/system-roots.ts';
import { lenientHttp } from '../../gateway/lenient-http.ts';
import { isOfThisComputer } from '../this-computer.ts';

const limitMs = 5_000;
/** Browsers do not take longer ones, either. */
const maxBytes = 1024 * 1024;
const maxRedirects = 3;

/**
 * Who has named the address: somebody who sets up this computer, or the network, which must not have this computer's
 * own servers or files read.
 */
export type NamedBy = 'set' | 'from-network';

/**
 * The script (PAC) at an address of http, https or file, or at a path; a server is asked directly. `at`: where that
 * server is, whatever its name leads to. Rejects if it cannot be fetched within five seconds, is empty, or is longer
 * than 1 MB.
 */
export async function fetchScript(
  address: string,
  namedBy: NamedBy = 'set',
  at?: readonly string[],
): Promise<string> {
  const url = path.isAbsolute(address) ? pathToFileURL(address) : readAddress(address);
  if (namedBy === 'from-network' && url.protocol === 'file:') throw new Error('the network names a file');
  const bytes =
    url.protocol === 'file:'
      ? await readScript(url)
      : await load(url, AbortSignal.timeout(limitMs), { namedBy, at });
  const script = new TextDecoder().decode(bytes);
  if (script.trim() === '') throw new Error('it is empty');
  return script;
}

/** Node's own error would have the whole address in it, with a password that may be there, and be logged. */
function readAddress(address: string, base?: URL): URL {
  const url = URL.parse(address, base);
  if (!url) throw new Error('its address cannot be read');
  return url;
}

async function readScript(url: URL): Promise<Buffer> {
  const file = fileURLToPath(url);
  // Opening a pipe would wait for its other end; a device might go on for ever.
  const found = await stat(file);
  if (!found.isFile() || found.size > maxBytes) throw new Error('it is no file of at most 1 MB');
  return await readFile(file);
}

/** As the system does, but without what leads to this computer. */
const lookUpElsewhere: LookupFunction = (host, options, callback) => {
  lookup(host, { ...options, all: true }, (error, found) => {
    const elsewhere = error ? [] : found.filter(({ address }) => !isOfThisComputer(address));
    const [first] = elsewhere;
    if (!first) callback(error ?? new Error('it is on this computer'), '');
    else if (options.all === true) callback(null, elsewhere);
    else callback(null, first.address, first.family);
  });
};

/** Without asking. */
const lookUpAt =
  (addresses: readonly string[]): LookupFunction =>
  (_host, options, callback) => {
    const found = addresses.map((address) => ({ address, family: isIP(address) }));
    const [first] = found;
    if (!first) callback(new Error('it has no address'), '');
    else if (options.all === true) callback(null, found);
    else callback(null, first.address, first.family);
  };

async function load(
  url: URL,
  signal: AbortSignal,
  { namedBy, at }: { namedBy: NamedBy; at?: readonly string[] | undefined },
  redirects = 0,
): Promise<Buffer> {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new Error(`it is at ${url.protocol}`);
  trustSystemRoots();
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  // Addresses are not looked up.
  if (namedBy === 'from-network' && isIP(host) !== 0 && isOfThisComputer(host))
    throw new Error('it is on this computer');
  const sent = request(url, {
    ...byTrustedRoots,
    ...lenientHttp,
    signal,
    agent: false,
    headers: { connection: 'close' },
    ...(namedBy === 'from-network' && { lookup: at ? lookUpAt(at) : lookUpElsewhere }),
  });
  sent.on('error', () => undefined);
  const answered = once(sent, 'response', { signal });
  sent.end();
  const [reply] = (await answered) as [IncomingMessage];
  reply.on('error', () => undefined);
  const { statusCode = 0 } = reply;
  const { location } = reply.headers;
  if (statusCode >= 300 && statusCode < 400 && location !== undefined && redirects < maxRedirects) {
    reply.destroy();
    return await load(readAddress(location, url), signal, { namedBy }, redirects + 1);
  }
  if (statusCode !== 200) {
    reply.destroy();
    throw new Error(`its server answers ${statusCode}`);
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop closes the connection.
  for await (const chunk of reply as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > maxBytes) throw new Error('it is longer than 1 MB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { trustSystemRoots } from '#node/anyconnect/system-roots.ts';

const limitMs = 5_000;
/** Browsers do not take longer ones, either. */
const maxBytes = 1024 * 1024;
const maxRedirects = 3;

/**
 * The script (PAC) at an address of http, https or file, or at a path; a server is asked directly. Rejects if it cannot be
 * fetched within five seconds, is empty, or is longer than 1 MB.
 */
export async function fetchScript(address: string): Promise<string> {
  const url = path.isAbsolute(address) ? pathToFileURL(address) : readAddress(address);
  const bytes =
    url.protocol === 'file:' ? await readScript(url) : await load(url, AbortSignal.timeout(limitMs));
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

async function load(url: URL, signal: AbortSignal, redirects = 0): Promise<Buffer> {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new Error(`it is at ${url.protocol}`);
  trustSystemRoots();
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  const sent = request(url, { signal, agent: false, headers: { connection: 'close' } });
  sent.on('error', () => undefined);
  const answered = once(sent, 'response', { signal });
  sent.end();
  const [reply] = (await answered) as [IncomingMessage];
  reply.on('error', () => undefined);
  const { statusCode = 0 } = reply;
  const { location } = reply.headers;
  if (statusCode >= 300 && statusCode < 400 && location !== undefined && redirects < maxRedirects) {
    reply.destroy();
    return await load(readAddress(location, url), signal, redirects + 1);
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

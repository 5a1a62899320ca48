import staticFiles from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { acceptsPage } from './accepts-page.ts';
import { readPreloads } from './preloads.ts';

/** Answers a request for a page of the console; false if the address is not a page. */
export type SendPage = (request: FastifyRequest, reply: FastifyReply) => boolean;

/**
 * Serves the built web console at `/`. Routing happens in the page, so every path that is not a file gets the same
 * HTML.
 */
export async function addConsole(
  http: FastifyInstance,
  directory: string | undefined,
  /** Whether browsers may store the console for use without a network; if not, what they have stored is removed. */
  isKept: boolean,
): Promise<SendPage | undefined> {
  if (directory === undefined) return undefined;
  await http.register(staticFiles, {
    root: directory,
    dotfiles: 'ignore',
    cacheControl: false,
    // The build compresses files once, and better; other files are compressed when they are sent.
    preCompressed: true,
    setHeaders(reply, file) {
      // Vite puts a hash of the content into the names of files in assets/.
      const immutable = file.startsWith(`${directory}/assets/`);
      reply.header('cache-control', immutable ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
  const preloads = readPreloads(directory);
  const send = ({ headers, url }: FastifyRequest, reply: FastifyReply) => {
    if (preloads) {
      reply.header('vary', 'accept-language');
      reply.header('link', preloads({ url, acceptLanguage: headers['accept-language'] }));
    }
    return reply.code(200).sendFile('index.html');
  };
  http.get('/', send);
  if (!isKept) http.get('/service-worker.js', (_, reply) => reply.sendFile('withdrawn-service-worker.js'));
  return (request, reply) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || !acceptsPage(request)) return false;
    send(request, reply);
    return true;
  };
}

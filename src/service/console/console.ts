import staticFiles from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readPreloads } from './preloads.ts';

/** Answers a request for a page of the console; false if it is not one. */
export type SendPage = (request: FastifyRequest, reply: FastifyReply) => boolean;

/**
 * Serves the built web console at `/`. Its routes are made in the page, so that a browser gets the page for any path
 * that is no file.
 */
export async function addConsole(
  app: FastifyInstance,
  directory: string | undefined,
  /** Whether browsers may keep the console for when there is no network; what they have kept is removed if not. */
  isKept: boolean,
): Promise<SendPage | undefined> {
  if (directory === undefined) return undefined;
  await app.register(staticFiles, {
    root: directory,
    dotfiles: 'ignore',
    cacheControl: false,
    // The build compresses once and well; what it has not compressed is compressed as it is sent.
    preCompressed: true,
    setHeaders(reply, file) {
      // Vite puts a hash of the content in the names of what it writes to assets/.
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
  app.get('/', send);
  if (!isKept) app.get('/service-worker.js', (_, reply) => reply.sendFile('withdrawn-service-worker.js'));
  return (request, reply) => {
    const isPage = request.method === 'GET' && request.headers.accept?.includes('text/html');
    if (!isPage) return false;
    send(request, reply);
    return true;
  };
}

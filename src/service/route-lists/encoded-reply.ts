import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A reply in every encoding that it is sent in. */
export interface EncodedReply {
  /** Weak, because one tag stands for all encodings (RFC 9110 §8.8.3.3). */
  etag: string;
  br: Buffer;
  gzip: Buffer;
  identity: Buffer;
}

type Encoding = Exclude<keyof EncodedReply, 'etag'>;

/** Better ones first. */
const compressions = ['br', 'gzip'] as const satisfies Encoding[];
/** From 0 to 11: higher levels take many times as long, and save only some percent. */
const brotliQuality = 9;

/** Encodes a reply; it is compressed outside of the event loop. */
export async function encodeReply(result: unknown): Promise<EncodedReply> {
  const identity = Buffer.from(JSON.stringify(result));
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: identity.length,
  };
  const [br, gzipped] = await Promise.all([
    promisify(brotliCompress)(identity, { params }),
    promisify<Buffer, Buffer>(gzip)(identity),
  ]);
  const etag = `W/"${createHash('sha256').update(identity).digest('base64url')}"`;
  return { etag, br, gzip: gzipped, identity };
}

/** Answers a request with it, or only with 304 if the caller already has it. */
export function sendEncoded(
  request: FastifyRequest,
  reply: FastifyReply,
  encoded: EncodedReply,
): FastifyReply {
  const vary = [reply.getHeader('vary') ?? [], 'accept-encoding'].flat().join(', ');
  reply.headers({ 'cache-control': 'private, no-cache', vary, etag: encoded.etag });
  if (hasReply(request.headers['if-none-match'], encoded)) return reply.code(304).send();
  const encoding = negotiate(request.headers['accept-encoding'] ?? '', [...compressions]) ?? 'identity';
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return reply.type('application/json; charset=utf-8').send(encoded[encoding]);
}

/** RFC 9110 §13.1.2. */
function hasReply(ifNoneMatch: string | undefined, { etag }: EncodedReply): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  return (ifNoneMatch ?? '').split(',').some((tag) => tag.trim() === '*' || opaque(tag) === opaque(etag));
}

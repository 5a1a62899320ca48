import type Electron from 'electron';
import { appSide } from '../channel/app-side.ts';
import { registerSchemes } from './scheme-registry.ts';
import type { SchemeRequest, SchemeResponse } from '../channel/process-contract.ts';
import { strict } from './strict.ts';

type Implemented = Pick<
  Electron.Protocol,
  'registerSchemesAsPrivileged' | 'handle' | 'unhandle' | 'isProtocolHandled'
>;
type Handler = Parameters<Electron.Protocol['handle']>[1];

const handlers = new Map<string | undefined, Map<string, Handler>>();

export function createProtocol(partition: string | undefined): Implemented {
  const own = new Map<string, Handler>();
  handlers.set(partition, own);
  return strict('protocol', {
    registerSchemesAsPrivileged: registerSchemes,
    handle(scheme, handler) {
      if (own.has(scheme)) throw new Error(`Failed to register protocol: ${scheme}`);
      own.set(scheme, handler);
    },
    unhandle(scheme) {
      own.delete(scheme);
    },
    isProtocolHandled: (scheme) => own.has(scheme),
  } satisfies Implemented);
}

function toRequest({ url, method, headers, body }: SchemeRequest): Request {
  return new Request(url, { method, headers, body: body ? Buffer.from(body) : null });
}

appSide.schemeRequest = async (partition, request): Promise<SchemeResponse> => {
  const handler = handlers.get(partition)?.get(request.url.split(':')[0] ?? '');
  if (!handler) throw new Error(`ERR_UNKNOWN_URL_SCHEME ${request.url}`);
  const response = await handler(toRequest(request));
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: new Uint8Array(await response.arrayBuffer()),
  };
};

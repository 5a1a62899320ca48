import { createHostServer, HostRequestRefused } from '#shared/host/server.ts';
import { webviewContract } from '#shared/host/webview-contract.ts';
import type { WebviewApp } from './webview-app.ts';

/** Takes a text from the page and gives the text of the reply, or undefined if there is none. */
export type AnswerText = (text: string) => Promise<string | undefined>;

const methods = new Set(
  Object.entries(webviewContract).flatMap(([group, descriptors]) =>
    Object.entries(descriptors)
      .filter(([, { direction }]) => direction === 'request')
      .map(([name]) => `${group}.${name}`),
  ),
);

/** JSON-RPC 2.0 as the contract uses it: requests only, with an id and at most one parameter. */
export function answerJsonRpc(app: WebviewApp): AnswerText {
  const server = createHostServer(webviewContract, app.handlers);
  return async (text) => {
    const request = readRequest(text);
    if (!request) return undefined;
    const reply = (body: object) => JSON.stringify({ jsonrpc: '2.0', id: request.id, ...body });
    const failed = (code: number, message: string) => reply({ error: { code, message } });
    const isOlder = !app.latencies && request.method === 'servers.latency';
    if (!methods.has(request.method) || isOlder) return failed(-32601, 'Method not found');
    try {
      return reply({ result: await server.handle(request.method, request.params?.[0]) });
    } catch (error) {
      return error instanceof HostRequestRefused
        ? failed(-32602, 'Invalid params')
        : failed(-32603, 'Internal error');
    }
  };
}

export function eventText(channel: string, payload: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', method: channel, params: [payload] });
}

interface Request {
  id: number;
  method: string;
  params?: unknown[];
}

function readRequest(text: string): Request | undefined {
  try {
    const message = JSON.parse(text) as Partial<Request> | null;
    const isRequest = typeof message?.id === 'number' && typeof message.method === 'string';
    return isRequest ? (message as Request) : undefined;
  } catch {
    return undefined;
  }
}

import { createHostClient } from '#shared/host/client.ts';
import { webviewContract } from '#shared/host/webview-contract.ts';
import { createJsonRpcTransport } from '../../platform/webview/json-rpc-transport.ts';
import type { TextPort } from '../../platform/webview/webview-port.ts';
import type { AppUnderTest } from './check.ts';

/** Shorter than the pages' own timeout: detecting a silent app should not take minutes. */
const replySeconds = 3;

export function appBehind(port: TextPort): AppUnderTest {
  const transport = createJsonRpcTransport(port, replySeconds);
  return { app: createHostClient(webviewContract, transport), transport, port };
}

import type { HostClient } from './descriptor.ts';
import { hostContract } from './contract.ts';

/**
 * The part of the host contract that an app around a webview implements. The groups `api` and `session` are
 * implemented in the page, over this app's storage; `settings` are the desktop's only.
 */
export const webviewContract = {
  app: hostContract.app,
  apps: hostContract.apps,
  storage: hostContract.storage,
  tunnel: hostContract.tunnel,
  routing: hostContract.routing,
} as const;

export type WebviewContract = typeof webviewContract;
export type WebviewApp = HostClient<WebviewContract>;

/** Name of the object that Android's WebMessageListener, or the handler that iOS, puts before the page. */
export const webviewPortName = 'waymakerHost';
/** The page's function through which an iOS app delivers messages. */
export const webviewDeliverName = 'waymakerHostDeliver';

import { webviewDeliverName, webviewPortName } from '#shared/host/webview-names.ts';

/** Carries texts between a page and the app around its webview. */
export interface TextPort {
  /** Rejects if the app refused to take the text. */
  send(text: string): Promise<void>;
  /** The only listener, for everything that the app sends. */
  listen(listener: (text: string) => void): void;
}

/** The object that `WebViewCompat.addWebMessageListener` puts into the page. */
interface AndroidPort {
  postMessage(message: string): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
}

/** The object that `WKUserContentController` puts into the page; it returns a promise if the app replies to it. */
interface IosHandler {
  postMessage(message: string): unknown;
}

interface WebviewWindow {
  [webviewPortName]?: Partial<AndroidPort>;
  [webviewDeliverName]?: (text: unknown) => void;
  webkit?: { messageHandlers?: { [webviewPortName]?: IosHandler } };
}

/**
 * The port to the app around this page, if the page is the top document of a webview. Nothing listens to the window's
 * `message` event, because other frames and windows can send messages there.
 */
export function findWebviewPort(): TextPort | undefined {
  if (window !== window.top) return undefined;
  const around = window as WebviewWindow;
  const android = around[webviewPortName];
  if (isAndroidPort(android)) return androidPort(android);
  const ios = around.webkit?.messageHandlers?.[webviewPortName];
  return ios && iosPort(around, ios);
}

/** The desktop app's transport has the same name, but sends requests instead of messages. */
function isAndroidPort(candidate: Partial<AndroidPort> | undefined): candidate is AndroidPort {
  return typeof candidate?.postMessage === 'function';
}

function androidPort(port: AndroidPort): TextPort {
  return {
    async send(text) {
      port.postMessage(text);
    },
    listen(listener) {
      port.addEventListener('message', ({ data }) => {
        if (typeof data === 'string') listener(data);
      });
    },
  };
}

function iosPort(around: WebviewWindow, handler: IosHandler): TextPort {
  let deliver: (text: unknown) => void = () => undefined;
  return {
    async send(text) {
      // A reply comes this way from a WKScriptMessageHandlerWithReply, else through the function below.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- no window: it has one parameter
      deliver(await handler.postMessage(text));
    },
    listen(listener) {
      deliver = (text) => {
        if (typeof text === 'string') listener(text);
      };
      around[webviewDeliverName] = (text) => deliver(text);
    },
  };
}

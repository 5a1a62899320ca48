import { webviewDeliverName, webviewPortName } from '#shared/host/webview-names.ts';

/** Carries texts between a page and the app around its webview. */
export interface TextPort {
  /** Rejects if the app refused to take the text. */
  send(text: string): Promise<void>;
  /** One listener for everything that the app says. */
  listen(listener: (text: string) => void): void;
}

/** What `WebViewCompat.addWebMessageListener` puts before the page, under its name. */
interface AndroidPort {
  postMessage(message: string): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
}

/** What `WKUserContentController` puts before the page; it returns a promise where the app replies to it. */
interface IosHandler {
  postMessage(message: string): unknown;
}

interface WebviewWindow {
  [webviewPortName]?: Partial<AndroidPort>;
  [webviewDeliverName]?: (text: unknown) => void;
  webkit?: { messageHandlers?: { [webviewPortName]?: IosHandler } };
}

/**
 * The port to the app around this page, if the page is the top document of a webview. Nothing listens to the
 * window's `message` event: that is where other frames and windows could speak.
 */
export function findWebviewPort(): TextPort | undefined {
  if (window !== window.top) return undefined;
  const around = window as WebviewWindow;
  const android = around[webviewPortName];
  if (isAndroidPort(android)) return androidPort(android);
  const ios = around.webkit?.messageHandlers?.[webviewPortName];
  return ios && iosPort(around, ios);
}

/** The desktop app's transport has the same name, but requests instead of messages. */
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

import { afterEach, expect, test, vi } from 'vitest';
import { webviewPortName } from '#shared/host/webview-names.ts';
import { findWebviewPort } from '../../../src/renderer/platform/webview/webview-port.ts';

afterEach(() => void vi.unstubAllGlobals());

/** A page's window into which the app around the webview has put its port, as it may in every frame. */
function pageWindow(top?: object): object {
  const page: Record<string, unknown> = {
    [webviewPortName]: { postMessage: () => undefined, addEventListener: () => undefined },
  };
  page['top'] = top ?? page;
  return page;
}

test('only the top document of a webview speaks to the app around it, no frame in it', () => {
  vi.stubGlobal('window', pageWindow());
  expect(findWebviewPort()).toBeDefined();
  vi.stubGlobal('window', pageWindow({}));
  expect(findWebviewPort()).toBeUndefined();
});

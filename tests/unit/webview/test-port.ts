import type { TextPort } from '../../../src/renderer/platform/webview/webview-port.ts';

export interface Sent {
  jsonrpc: string;
  id: number;
  method: string;
  params?: unknown[];
}

/** A port whose app is the test. */
export interface TestPort extends TextPort {
  readonly sent: Sent[];
  /** What the app says. */
  say(message: unknown): void;
  sayText(text: string): void;
  /** Makes the app refuse texts. */
  refuses: boolean;
}

export function createTestPort(onSent: (message: Sent) => void = () => undefined): TestPort {
  const sent: Sent[] = [];
  let listener: (text: string) => void = () => undefined;
  const port: TestPort = {
    sent,
    refuses: false,
    async send(text) {
      if (port.refuses) throw new Error('refused');
      const message = JSON.parse(text) as Sent;
      sent.push(message);
      onSent(message);
    },
    listen(given) {
      listener = given;
    },
    say: (message) => listener(JSON.stringify(message)),
    sayText: (text) => listener(text),
  };
  return port;
}

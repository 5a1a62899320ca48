import * as z from 'zod/mini';
import { installed } from '../../../../packaging/linux/core-tree.ts';
import type { SystemdMachine } from '../../../lab/machine/systemd-machine.ts';

/** What a window's page shows. */
const shown = z.object({
  url: z.string(),
  text: z.string(),
  /** What the expression came to, as JSON. */
  value: z.optional(z.string()),
  /** A PNG as base64. */
  picture: z.string(),
});
export type ShownPage = z.infer<typeof shown>;

/**
 * Run inside the machine, `node -e … PORT EXPRESSION`: evaluates it in the window's page by the protocol of Chromium's
 * inspector, and prints that and what the page shows. Ends with status 3 while there is no page.
 */
const script = `
const [port, expression] = process.argv.slice(1);
const reply = await fetch('http://127.0.0.1:' + port + '/json/list').catch(() => process.exit(3));
const page = (await reply.json()).find(({ url }) => url.startsWith('https://'));
if (!page) process.exit(3);
const socket = new WebSocket(page.webSocketDebuggerUrl);
await new Promise((resolve) => socket.addEventListener('open', resolve));
let last = 0;
const ask = (method, params) => new Promise((resolve) => {
  const id = (last += 1);
  socket.addEventListener('message', ({ data }) => {
    const answer = JSON.parse(data);
    if (answer.id === id) resolve(answer.result);
  });
  socket.send(JSON.stringify({ id, method, params }));
});
const evaluate = async (text) =>
  (await ask('Runtime.evaluate', { expression: text, awaitPromise: true, returnByValue: true })).result.value;
const value = JSON.stringify(await evaluate(expression));
const text = await evaluate('document.body.innerText');
const { data: picture } = await ask('Page.captureScreenshot', {});
console.log(JSON.stringify({ url: page.url, text, value, picture }));
process.exit(0);
`;

/** The page of the window whose Chromium listens at `port` in the machine; undefined while there is none. */
export async function windowPage(
  machine: SystemdMachine,
  port: number,
  expression = 'null',
): Promise<ShownPage | undefined> {
  const words = [installed.node, '--input-type=module', '-e', script, String(port), expression];
  const { code, stdout, stderr } = await machine.exec(words);
  if (code === 3) return undefined;
  if (code !== 0) throw new Error(`the page could not be asked: ${stderr}`);
  return shown.parse(JSON.parse(stdout));
}

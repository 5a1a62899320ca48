import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { withTimeout } from '../../../src/main/with-timeout.ts';

async function connectedPair(): Promise<[Socket, Socket]> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const here = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [there] = await accepted;
  if (here.connecting) await once(here, 'connect');
  onTestFinished(() => {
    for (const socket of [here, there]) socket.destroy();
    server.close();
  });
  return [here, there];
}

/** As on a machine that is too busy for this process, or that was paused. */
function standStill(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

// JSON-RPC handles what has been read one turn later.
test.each([0, 1])(
  'an answer that was there in time counts, however late this process looks (handled %d turns later)',
  async (turns) => {
    const [here, there] = await connectedPair();
    const answer = Promise.withResolvers<string>();
    here.once('data', () => (turns === 0 ? answer.resolve('there') : setImmediate(answer.resolve, 'there')));
    // From here, the next thing that Node.js looks at is its timers.
    await new Promise(setImmediate);
    const outcome = withTimeout(answer.promise, 20, 'late');
    there.write('x');
    standStill(100);
    expect(await outcome).toBe('there');
  },
);

test('what has not been answered in time is late', async () => {
  expect(await withTimeout(new Promise(() => undefined), 20, 'late')).toBe('late');
});

import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { isFree, wantedPorts } from '../../../scripts/start/ports.ts';
import { StartProblem } from '../../../scripts/start/start-problem.ts';

async function takenPort(): Promise<{ port: number } & Disposable> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, [Symbol.dispose]: () => server.close() };
}

test.each([
  ['npm start', {}],
  // Which hands on nothing that is set before it.
  ['sudo npm start', { SUDO_UID: '1000' }],
])('a taken port is named, with a free one and the whole command: %s', async (_, environment) => {
  using taken = await takenPort();
  const found = wantedPorts({ ...environment, WAYMAKER_SERVICE_PORT: String(taken.port) });
  await expect(found).rejects.toBeInstanceOf(StartProblem);
  const problem: unknown = await found.catch((error: unknown) => error);
  const message = problem instanceof Error ? problem.message : '';
  const [, sudo = '', port] =
    /^Port \d+ .*: (sudo )?WAYMAKER_SERVICE_PORT=(\d+) npm start$/.exec(message) ?? [];
  expect(sudo).toBe('SUDO_UID' in environment ? 'sudo ' : '');
  expect(await isFree(Number(port))).toBe(true);
});

test('what is no port is named', async () => {
  await expect(wantedPorts({ WAYMAKER_MAILBOX_PORT: '70000' })).rejects.toThrow(
    'WAYMAKER_MAILBOX_PORT: must be a port, 1 to 65535',
  );
});

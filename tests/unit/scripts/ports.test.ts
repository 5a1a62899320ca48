import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { isFree, wantedPorts } from '../../../scripts/start/ports.ts';
import { StartProblem } from '../../../scripts/start/start-problem.ts';
import { freePort } from '../main/support/free-port.ts';

async function takenPort(): Promise<{ port: number } & Disposable> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, [Symbol.dispose]: () => server.close() };
}

const refusal = async (environment: NodeJS.ProcessEnv) => {
  const problem: unknown = await wantedPorts(environment).catch((error: unknown) => error);
  return problem instanceof StartProblem ? problem.message : '';
};

test.each([
  ['', {}],
  // Which hands on nothing that is set before it.
  ['sudo ', { SUDO_UID: '1000' }],
  // And does not look into anybody's home for npm.
  ['sudo env "PATH=$PATH" ', { SUDO_UID: '1000', npm_node_execpath: '/home/anna/.nvm/bin/node' }],
])(
  'a taken port is named, with a free one and the whole command: %snpm start',
  async (before, environment) => {
    using taken = await takenPort();
    const free = await freePort();
    const message = await refusal({
      ...environment,
      WAYMAKER_SERVICE_PORT: String(taken.port),
      WAYMAKER_MAILBOX_PORT: String(free),
    });
    const [, sudo = '', port, mailbox] =
      /^Port \d+ .*: (sudo .*)?WAYMAKER_SERVICE_PORT=(\d+) WAYMAKER_MAILBOX_PORT=(\d+) npm start$/.exec(
        message,
      ) ?? [];
    expect(sudo).toBe(before);
    expect(await isFree(Number(port))).toBe(true);
    expect(mailbox).toBe(String(free));
  },
);

test('both ports taken are answered by one command that works', async () => {
  using service = await takenPort();
  using mailbox = await takenPort();
  const message = await refusal({
    WAYMAKER_SERVICE_PORT: String(service.port),
    WAYMAKER_MAILBOX_PORT: String(mailbox.port),
  });
  expect(message).toContain(`Ports ${service.port} and ${mailbox.port} `);
  const set = Object.fromEntries(
    [...message.matchAll(/(WAYMAKER_\w+)=(\d+)/g)].map(([, name, value]) => [name, value]),
  );
  expect(await wantedPorts(set)).toEqual({
    service: Number(set['WAYMAKER_SERVICE_PORT']),
    mailbox: Number(set['WAYMAKER_MAILBOX_PORT']),
  });
});

test('the same port for both is refused', async () => {
  const port = String(await freePort());
  expect(await refusal({ WAYMAKER_SERVICE_PORT: port, WAYMAKER_MAILBOX_PORT: port })).toContain(
    `Port ${port} `,
  );
});

test('a setting that is no port is named', async () => {
  await expect(wantedPorts({ WAYMAKER_MAILBOX_PORT: '70000' })).rejects.toThrow(
    'WAYMAKER_MAILBOX_PORT: must be a port, 1 to 65535',
  );
});

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createLog } from '../../../../helper/log.ts';
import { serveClient, type ClientOptions } from '../../../../helper/rpc/client-connection.ts';
import { endConnection } from '../../../../helper/rpc/end-connection.ts';
import { createOwnedState } from '../../../../helper/tunnel/owned-state.ts';

/** Listens as a helper does. */
async function listen(serve: (socket: Socket) => void): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'waymaker-end-'));
  const address = path.join(folder, 'helper.sock');
  const server = createServer(serve).listen(address);
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  return address;
}

/** The helper's own server, with the connection of somebody else. */
function serverFor(caller: { isAllowed: boolean; isAdministrator: boolean }) {
  const ended: unknown[] = [];
  const state = createOwnedState();
  state.owner = '501';
  const tunnel = {
    state,
    supported: () => ({ modes: [] }),
    engines: () => [],
    clients: { attach: () => undefined, detach: () => undefined },
    disconnect(reason?: string) {
      ended.push(reason);
      return Promise.resolve();
    },
  } as unknown as ClientOptions['tunnel'];
  const address = listen((socket) =>
    serveClient(socket, {
      tunnel,
      caller: { user: '0', pid: 1, sharesProcessIds: true, ...caller },
      lists: { forget: () => undefined } as ClientOptions['lists'],
      warn: () => undefined,
      logMemory: {} as ClientOptions['logMemory'],
      sealedSecrets: {} as ClientOptions['sealedSecrets'],
      log: createLog(() => undefined),
    }),
  );
  return { address, ended };
}

test('an administrator ends the connection of somebody else, without a reason, as its user does', async () => {
  const { address, ended } = serverFor({ isAllowed: true, isAdministrator: true });
  await endConnection(await address);
  expect(ended).toEqual([undefined]);
});

test.each([
  ['is no administrator', { isAllowed: true, isAdministrator: false }, 'another user’s'],
  ['may not call', { isAllowed: false, isAdministrator: false }, 'may not use the helper'],
])('somebody who %s ends nothing, and is told', async (_, caller, words) => {
  const { address, ended } = serverFor(caller);
  await expect(endConnection(await address)).rejects.toThrow(words);
  expect(ended).toEqual([]);
});

test('where no helper runs, there is nothing to end', async () => {
  await expect(endConnection('/nowhere/helper.sock')).resolves.toBeUndefined();
});

test('a helper that hangs up, or says something else, is a failure', async () => {
  for (const serve of [
    (socket: Socket) => void socket.destroy(),
    (socket: Socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
  ])
    await expect(endConnection(await listen(serve))).rejects.toThrow();
});

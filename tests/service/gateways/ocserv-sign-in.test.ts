import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { exec, words } from '../../lab/runs/process.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';
import { createTestAuthority } from '../../unit/main/support/test-authority.ts';
import { startOcserv } from '../../unit/main/support/ocserv.ts';
import { newDirectory, newEmail, newSeededEnvironment, signedIn, startTestService } from '../test-service.ts';
import type { TestDevice } from '../test-service.ts';

const server = { serverId: 'one', name: 'One', domain: 'localhost' };

test('a device that has just signed in gets into the gateway at once, and one that is revoked does not', async () => {
  const directory = await newDirectory();
  const passwordFile = path.join(directory, 'passwords');
  const environment = await newSeededEnvironment('postgresql', {
    serverGroups: [
      { id: 'all', name: 'All', isTrial: true, items: [{ id: 'a', level: 1, servers: [server] }] },
    ],
  });
  await using closing = new AsyncDisposableStack();
  const both = { ...environment, WAYMAKER_GATEWAY_PASSWORD_FILE: passwordFile };
  const services = [
    closing.use(await startTestService({ environment: both })),
    closing.use(await startTestService({ environment: both })),
  ];
  const authority = await createTestAuthority();
  const authorityFile = path.join(directory, 'authority.pem');
  await writeFile(authorityFile, authority.certificate);
  const gateway = await startOcserv({
    certificate: await authority.issue({ names: ['localhost'] }),
    users: {},
    passwordFile,
  });
  closing.defer(() => gateway.stop());

  const loginOf = async (device: TestDevice) => {
    const result = await device.client.call('gatewayLogins');
    const login = result.ok ? result.data.items[0] : undefined;
    if (!login) throw new Error('no login', { cause: result });
    return login;
  };
  /** Whether ocserv takes the password: openconnect then prints a cookie. */
  const getsIn = async ({ username, password }: Awaited<ReturnType<typeof loginOf>>) => {
    const { stdout } = await exec(
      [
        ...words('openconnect --authenticate --non-inter --passwd-on-stdin'),
        ...words(`--user=${username} --cafile=${authorityFile} https://localhost:${gateway.port}`),
      ],
      { input: `${password}\n` },
    );
    return stdout.includes('COOKIE=');
  };

  const devices = await Promise.all(
    Array.from({ length: isExhaustive ? 12 : 5 }, async (_, i) => {
      const service = services[i % services.length];
      if (!service) throw new Error('no service');
      const device = await signedIn(service, newEmail());
      return { device, getsIn: await getsIn(await loginOf(device)) };
    }),
  );
  expect(devices.filter((one) => !one.getsIn)).toEqual([]);

  const [first, second] = devices;
  if (!first || !second) throw new Error('nobody');
  const [gone, stays] = [await loginOf(first.device), await loginOf(second.device)];
  await first.device.client.call('revokeDevices');
  expect(await getsIn(gone)).toBe(false);
  expect(await getsIn(stays)).toBe(true);
});

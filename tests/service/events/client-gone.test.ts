import { once } from 'node:events';
import { connect } from 'node:net';
import { authorizationOf } from '#shared/api/client.ts';
import { eventsPath } from '#shared/api/events.ts';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { newEmail, signedIn, startTestService } from '../test-service.ts';
import { readEvents } from './event-reader.ts';

test('a client that is gone before the database has said who it is leaves no stream behind', async () => {
  const perSource = 3;
  await using running = await startTestService({ streamLimits: { inAll: 100, perSource, perAccount: 100 } });
  const device = await signedIn(running, newEmail());
  const { hostname, port } = new URL(running.url);
  const request = [
    `GET ${eventsPath} HTTP/1.1`,
    'Host: here',
    `Authorization: ${authorizationOf({ deviceId: device.deviceId, token: device.token })}`,
  ];
  for (let i = 0; i < perSource; i += 1) {
    // Who asks is not known before the transaction has ended.
    await running.service.database.transaction(async (transaction) => {
      await transaction.execute(sql`lock table devices in access exclusive mode`);
      const asked = once(running.service.http.server, 'request');
      const socket = connect(Number(port), hostname);
      socket.write(`${request.join('\r\n')}\r\n\r\n`);
      const [, response] = await asked;
      socket.destroy();
      await once(response, 'close');
    });
  }
  // Asked after them, and so answered after them.
  const other = await signedIn(running, newEmail());
  await using stream = await readEvents(running.url, other);
  expect(stream.status).toBe(200);
});

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { datagramsTo } from '../../../../helper/engine/own/process/datagrams.ts';

test('datagrams go to the gateway, those of before the socket is ready first', async () => {
  const gateway = createSocket('udp4').bind(0, '127.0.0.1');
  await once(gateway, 'listening');
  const port = datagramsTo(
    '127.0.0.1',
    gateway.address().port,
  )({
    onDatagram: () => undefined,
    onError: () => undefined,
  });
  port.send(Buffer.from('first'));
  port.send(Buffer.from('second'));
  const [first] = (await once(gateway, 'message')) as [Buffer];
  expect(first.toString()).toBe('first');
  port.close();
  gateway.close();
});

test('a gateway to which the system has no way is one that does not answer, and nothing is sent there', async () => {
  const told = Promise.withResolvers<Error>();
  // No socket without SO_BROADCAST may be connected there (connect(2)); without a route, it is the same.
  const port = datagramsTo(
    '255.255.255.255',
    443,
  )({
    onDatagram: () => undefined,
    onError: told.resolve,
  });
  port.send(Buffer.from('a datagram'));
  expect(await told.promise).toMatchObject({ code: 'EACCES' });
  port.send(Buffer.from('another one'));
  await new Promise((resolve) => setImmediate(resolve));
  port.close();
});

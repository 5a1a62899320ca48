import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { waitLimit } from '../../../../lab/runs/wait-limit.ts';
import { startDataPath } from '../../../../../helper/engine/own/data-path/start-data-path.ts';

const flooding = 20_000;

/**
 * The other end, on a thread of its own: answers the first datagram with two, and the second one with very many. FLAG
 * becomes 1 once they are sent.
 */
const peer = `
  const { createSocket } = require('node:dgram');
  const { parentPort, workerData } = require('node:worker_threads');
  const flag = new Int32Array(workerData);
  const socket = createSocket('udp4');
  let asked = 0;
  socket.on('message', async (_datagram, { port, address }) => {
    asked += 1;
    const send = () => new Promise((sent) => socket.send(Buffer.alloc(1_000, 7), port, address, sent));
    for (let count = 0; count < (asked === 1 ? 2 : ${flooding}); count += 1) await send();
    if (asked === 1) return;
    Atomics.store(flag, 0, 1);
    Atomics.notify(flag, 0);
  });
  socket.bind(0, '127.0.0.1', () => parentPort.postMessage(socket.address().port));`;

test.skipIf(process.platform !== 'linux')(
  'while the main thread is busy, a few hundred datagrams wait for it, and no more',
  async () => {
    const flag = new Int32Array(new SharedArrayBuffer(4));
    const other = new Worker(peer, { eval: true, workerData: flag.buffer });
    onTestFinished(() => void other.terminate());
    const port = await new Promise<number>((resolve) => other.once('message', resolve));
    const dataPath = await startDataPath({
      program: new URL('../support/data-path-thread.ts', import.meta.url),
      onNote: () => undefined,
      onFailed(error) {
        throw error;
      },
    });
    if (!dataPath) throw new Error('no data path');
    let heard = 0;
    const datagrams = dataPath.datagramsTo(
      '127.0.0.1',
      port,
    )({ onDatagram: () => (heard += 1), onError: () => undefined });
    datagrams.send(Buffer.from('a question'));
    await expect.poll(() => heard, { message: 'positive control' }).toBe(2);

    heard = 0;
    datagrams.send(Buffer.from('another one'));
    // Nothing else runs here until all have been sent.
    expect(Atomics.wait(flag, 0, 0, waitLimit(60_000))).not.toBe('timed-out');
    await expect.poll(() => heard).toBeGreaterThan(0);
    // It goes on as before.
    datagrams.close();
    await dataPath.stop();
    // 256 waited; what the socket had kept meanwhile comes after them. Without a limit, it had been 8,000.
    expect(heard).toBeLessThan(3_000);
  },
);

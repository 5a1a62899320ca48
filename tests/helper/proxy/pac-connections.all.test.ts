import { afterAll, beforeAll, expect, test } from 'vitest';
import { addresses, names, ports } from '../../lab/network/addresses.ts';
import { words } from '../../lab/runs/process.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { createHelperLab, type HelperLab } from '../support/helper-lab.ts';
import { proxyOf } from '../support/proxy/proxy-of.ts';

let net: HelperLab;
beforeAll(async () => {
  net = await createHelperLab();
  await net.start();
});
afterAll(() => net[Symbol.asyncDispose]());

const count = 1000;

/**
 * Opens connections to the echo through the proxy, by SOCKS (RFC 1928) and by HTTP's CONNECT in turn, and has a line of
 * its own repeated over each; all stay open. Prints `open`; with the next line that comes, has another line repeated
 * over each, and prints how many were.
 */
const program = `
  import { connect } from 'node:net';
  import { once } from 'node:events';
  const [proxyPort, name, port, count] = process.argv.slice(1);
  async function read(socket, length) {
    for (;;) {
      const bytes = socket.read(length);
      if (bytes) return bytes;
      await once(socket, 'readable');
    }
  }
  async function open(index) {
    const socket = connect(Number(proxyPort), '127.0.0.1').on('error', () => undefined);
    if (index % 2) {
      socket.write(Buffer.from([5, 1, 0]));
      await read(socket, 2);
      socket.write(Buffer.from([5, 1, 0, 3, name.length, ...Buffer.from(name), 0, Number(port)]));
      const reply = await read(socket, 10);
      if (reply[1] !== 0) throw new Error('the reply was ' + reply.toString('hex'));
    } else {
      socket.write('CONNECT ' + name + ':' + port + ' HTTP/1.1\\r\\nHost: ' + name + '\\r\\n\\r\\n');
      let head = '';
      while (!head.endsWith('\\r\\n\\r\\n')) head += await read(socket, 1);
      if (!head.includes(' 200 ')) throw new Error(head);
    }
    const exchange = async (round) => {
      const line = round + ' of ' + index + '\\n';
      socket.write(line);
      const answer = String(await read(socket, line.length));
      if (answer !== line) throw new Error('the answer was ' + answer);
    };
    await exchange('first');
    return exchange;
  }
  const settled = (all) => {
    const failed = all.filter(({ status }) => status === 'rejected');
    if (failed.length > 0) console.log(failed.length, 'failed', String(failed[0].reason));
    return all.flatMap(({ value }) => value ?? []);
  };
  const exchanges = settled(await Promise.allSettled(Array.from({ length: Number(count) }, (_, index) => open(index))));
  console.log('open', exchanges.length);
  await once(process.stdin, 'data');
  const again = exchanges.map(async (exchange) => { await exchange('second'); return true; });
  console.log('answered', settled(await Promise.allSettled(again)).length);
  process.exit();`;

test(
  'a thousand connections at a time are carried by the proxy, and all of them go on',
  { timeout: waitLimit(120_000) },
  async () => {
    const client = await net.connect({
      routing: { mode: 'pac', routeDomains: [names.echo], blockedDomains: [] },
    });
    const [, port = ''] = proxyOf(client).address.split(':');
    const argv = [process.execPath, '--input-type=module', '--eval', program];
    const child = net.lab.user.spawn([...argv, '--', port, names.echo, String(ports.echo), String(count)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await expect.poll(() => output, { timeout: waitLimit(60_000) }).toContain('open');
    expect(output).toBe(`open ${count}\n`);
    // The echo sees all of them come from the gateway, at the same time. It listens for both versions of IP at once,
    // which maps addresses of IPv4 into IPv6 (RFC 4291 §2.5.5.2).
    const sockets = await net.lab.internet.run(words(`ss -Htn state established sport = :${ports.echo}`));
    const { ipv4, ipv6 } = addresses.gateway;
    const peers = sockets
      .split('\n')
      .filter((line) => line.includes(`[::ffff:${ipv4}]`) || line.includes(`[${ipv6}]`));
    expect(peers).toHaveLength(count);
    child.stdin?.write('\n');
    await expect.poll(() => output, { timeout: waitLimit(60_000) }).toContain('answered');
    expect(output).toBe(`open ${count}\nanswered ${count}\n`);
    await client.call('disconnect', {});
  },
);

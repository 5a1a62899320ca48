import { randomBytes } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDtlsClient, type DtlsEnd } from '../../../../helper/engine/own/dtls/client.ts';
import { endProcess, eventually, words } from '../../../lab/runs/process.ts';

/** Other makers' servers of DTLS, with networks between that lose, repeat, overtake and change datagrams. */

const key = randomBytes(32);
let directory: string;
const running: ChildProcess[] = [];

interface Peer {
  port: number;
  /** What it has printed so far. */
  output(): string;
  /** Has it send a line. */
  say(text: string): void;
}

/** `ready`: what it prints once it has its port. */
async function serve(
  command: string,
  ready: RegExp,
  argsAt: (port: number) => readonly string[],
): Promise<Peer> {
  for (;;) {
    const port = await freePort();
    const child = spawn(command, argsAt(port), { stdio: ['pipe', 'pipe', 'pipe'] });
    running.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString('latin1')));
    const how = await eventually(`${command} is ready`, () => {
      if (/in use/i.test(output)) return 'taken';
      return ready.test(output) ? 'ready' : undefined;
    });
    if (how === 'ready') return { port, output: () => output, say: (text) => child.stdin.write(`${text}\n`) };
    // Somebody else has taken the port since.
    await endProcess(child, 'SIGKILL');
  }
}

async function freePort(): Promise<number> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  return port;
}

async function openssl(suite: string, ...more: string[]): Promise<Peer> {
  return await serve('openssl', /^ACCEPT/m, (port) => [
    ...words('s_server -dtls1_2 -nocert -accept'),
    `127.0.0.1:${port}`,
    ...words(`-psk ${key.toString('hex')} -cipher`),
    suite,
    ...more,
  ]);
}

/** `more`: further words of its priorities. */
async function gnutls(cipher: string, more = ''): Promise<Peer> {
  const file = path.join(directory, 'keys');
  await writeFile(file, `psk:${key.toString('hex')}\n`);
  const priority = `NONE:+VERS-DTLS1.2:+PSK:+${cipher}:+AEAD:+SHA256:+SHA384:+COMP-NULL:+SIGN-ALL:+GROUP-ALL${more}`;
  // It says that it is listening before it is, and that it is done once it is.
  return await serve('gnutls-serv', /listening on IPv4 .*done/, (port) => [
    ...words(`--udp --echo --port ${port} --pskpasswd`),
    file,
    '--priority',
    priority,
  ]);
}

/** What happens to a datagram on its way: the datagrams that come out. */
type Network = (datagram: Buffer) => Buffer[];
const good: Network = (datagram) => [datagram];

interface Connecting {
  /** What happens to datagrams both ways, or to what comes in alone. */
  network?: Network;
  incoming?: Network;
  key?: Buffer;
  /** Whether messages are sent again, as is usual: if not, a connection is made by the first ones or not at all. */
  repeats?: boolean;
}

async function connect(peer: Peer, options: Connecting = {}) {
  const { network = good, incoming = network, key: ownKey = key, repeats = true } = options;
  const socket: Socket = createSocket('udp4');
  socket.connect(peer.port, '127.0.0.1');
  await once(socket, 'connect');
  const received: string[] = [];
  const ends: DtlsEnd[] = [];
  let suite: string | undefined;
  const client = createDtlsClient({
    key: ownKey,
    identity: 'psk',
    sessionId: randomBytes(32),
    // However slow this computer is, and the other end with it.
    ...(repeats ? {} : { firstTimeoutMs: 3_600_000 }),
    send(datagram) {
      for (const one of network(datagram)) socket.send(one);
    },
    onConnected: ({ cipher }) => (suite = cipher),
    onData: (content) => received.push(content.toString()),
    onEnd: (end) => ends.push(end),
  });
  // What the system knows of a peer that has ended.
  socket.on('error', () => undefined);
  socket.on('message', (datagram) => {
    for (const one of incoming(datagram)) client.receive(one);
  });
  client.start();
  return {
    client,
    received,
    ends,
    suite: () => suite,
    connected: () => eventually('it is connected', () => suite),
    [Symbol.dispose]() {
      client.close();
      socket.close();
    },
  };
}

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'waymaker-dtls-'));
});
afterAll(async () => {
  await Promise.all(running.map((child) => endProcess(child, 'SIGKILL')));
  await rm(directory, { recursive: true });
});

describe('OpenSSL', () => {
  test.each([
    ['PSK-AES256-GCM-SHA384', 'aes-256-gcm', []],
    ['PSK-AES128-GCM-SHA256', 'aes-128-gcm', []],
    ['PSK-CHACHA20-POLY1305', 'chacha20-poly1305', []],
    // Its messages come in fragments, after a cookie.
    ['PSK-AES256-GCM-SHA384', 'aes-256-gcm', ['-listen', '-mtu', '256']],
    // It gives a hint at the identity.
    ['PSK-AES128-GCM-SHA256', 'aes-128-gcm', ['-psk_hint', 'a hint']],
  ])('%s, %s %j', async (suite, cipher, more) => {
    const peer = await openssl(suite, ...more);
    using opened = await connect(peer, { repeats: false });
    expect(await opened.connected()).toBe(cipher);
    opened.client.write(Buffer.from('from the '), Buffer.from('client\n'));
    await eventually('it has come', () => peer.output().includes('from the client') || undefined);
    peer.say('from the server');
    await eventually('it is there', () => opened.received.includes('from the server\n') || undefined);
    expect(opened.client.counters).toEqual({ malformed: 0, forged: 0, replayed: 0, retransmitted: 0 });
  });

  test('with another key does not connect', async () => {
    const peer = await openssl('PSK-AES256-GCM-SHA384');
    using opened = await connect(peer, { key: randomBytes(32) });
    // It has asked for an answer to its last message again, and not got one.
    await eventually('it asks again', () => opened.client.counters.retransmitted >= 2 || undefined);
    expect(opened.suite()).toBeUndefined();
  });
});

describe('GnuTLS', () => {
  test.each([
    ['AES-256-GCM', 'aes-256-gcm', ''],
    ['AES-128-GCM', 'aes-128-gcm', ''],
    ['CHACHA20-POLY1305', 'chacha20-poly1305', ''],
    // Without the extended master secret.
    ['AES-256-GCM', 'aes-256-gcm', ':%NO_SESSION_HASH'],
  ])('%s, %s %s', async (name, cipher, more) => {
    const peer = await gnutls(name, more);
    using opened = await connect(peer);
    expect(await opened.connected()).toBe(cipher);
    opened.client.write(Buffer.from('an echo'));
    await eventually('it is there', () => opened.received.includes('an echo') || undefined);
  });
});

describe('over a bad network', () => {
  /** Loses this share of the datagrams, the first one always. */
  const losing = (share: number): Network => {
    let random = 0;
    return (datagram) => {
      // The constants of Numerical Recipes' generator.
      const isLost = random < share * 2 ** 32;
      random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
      return isLost ? [] : [datagram];
    };
  };
  const twice: Network = (datagram) => [datagram, datagram];
  /** Each pair comes in the reverse order. */
  const overtaking = (): Network => {
    let kept: Buffer | undefined;
    return (datagram) => {
      const earlier = kept;
      kept = earlier ? undefined : datagram;
      return earlier ? [datagram, earlier] : [];
    };
  };
  /** Each datagram comes once as it is, and before that with a bit changed somewhere behind the record's header. */
  const changing = (): Network => {
    let count = 0;
    return (datagram) => {
      const changed = Buffer.from(datagram);
      const at = 13 + ((count * 7) % Math.max(1, datagram.length - 13));
      count += 1;
      changed[at] = (changed[at] ?? 0) ^ 0x10;
      return [changed, datagram];
    };
  };

  // openssl/openssl issue 15478: what comes before the change of cipher that it belongs to.
  test.each(['OpenSSL', 'GnuTLS'])(
    'whose records overtake each other in the handshake (%s)',
    async (maker) => {
      const peer = await (maker === 'OpenSSL' ? openssl('PSK-AES256-GCM-SHA384') : gnutls('AES-256-GCM'));
      const changeCipher = 20;
      const given: string[] = [];
      const kept: Buffer[] = [];
      /** The records of each datagram in the reverse order, and a change of cipher after what comes next. */
      const reversed: Network = (datagram) => {
        const records: Buffer[] = [];
        for (let at = 0; at + 13 <= datagram.length;) {
          const end = at + 13 + datagram.readUInt16BE(at + 11);
          records.unshift(datagram.subarray(at, end));
          at = end;
        }
        const others = records.filter((record) => record[0] !== changeCipher);
        kept.push(...records.filter((record) => record[0] === changeCipher));
        const next = others.length > 0 ? [...others, ...kept.splice(0)] : [];
        given.push(...next.map((record) => `${record[0]}/${record.readUInt16BE(3)}`));
        return next;
      };
      using opened = await connect(peer, { incoming: reversed, repeats: false });
      await opened.connected();
      expect(given.indexOf('20/0')).toBeGreaterThan(given.indexOf('22/1'));
      expect(given).toContain('22/1');
      expect(opened.client.counters).toMatchObject({ forged: 0 });
      opened.client.write(Buffer.from('from the client\n'));
      await eventually(
        'it has come',
        () =>
          [peer.output(), ...opened.received].some((text) => text.includes('from the client')) || undefined,
      );
    },
  );

  test.each([
    ['that loses a third of the datagrams', () => losing(1 / 3)],
    ['that loses a fifth of them', () => losing(1 / 5)],
    ['that repeats each', () => twice],
  ])('%s, a connection is made and carries data', async (_what, network) => {
    const between = network();
    const attempt = async () => {
      const peer = await openssl('PSK-AES256-GCM-SHA384');
      const opened = await connect(peer, { network: between });
      const isMade = await eventually('it is connected, or given up', () =>
        opened.suite() === undefined ? opened.ends[0] && 'given up' : 'made',
      );
      return { peer, opened, isMade: isMade === 'made' };
    };
    // What gets lost depends on who is quicker. A flight that is lost nine times, as one in 200 is, has no answer.
    let made = await attempt();
    for (let tries = 1; tries < 3 && !made.isMade; tries += 1) {
      made.opened[Symbol.dispose]();
      made = await attempt();
    }
    using opened = made.opened;
    const { peer } = made;
    await eventually('it has come', () => {
      opened.client.write(Buffer.from('from the client\n'));
      return peer.output().includes('from the client') || undefined;
    });
    expect(opened.ends).toEqual([]);
  });

  test('data that comes changed, again or late is right or not there', async () => {
    const peer = await gnutls('AES-256-GCM');
    let network: Network = good;
    using opened = await connect(peer, { network: (datagram) => network(datagram) });
    await opened.connected();
    const sent: string[] = [];
    for (const [round, next] of [changing(), twice, overtaking()].entries()) {
      network = next;
      for (let count = 0; count < 20; count += 1) {
        const text = `packet ${sent.length}`;
        sent.push(text);
        opened.client.write(Buffer.from(text));
      }
      await eventually('all that is sent after that comes back', () => {
        network = good;
        opened.client.write(Buffer.from(`round ${round}`));
        return opened.received.includes(`round ${round}`) || undefined;
      });
    }
    const packets = opened.received.filter((text) => text.startsWith('packet'));
    expect(packets.length).toBeGreaterThanOrEqual(20);
    expect(packets.filter((text) => !sent.includes(text))).toEqual([]);
    expect(new Set(packets).size).toBe(packets.length);
  });
});

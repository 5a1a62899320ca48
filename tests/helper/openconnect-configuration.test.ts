import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createEnvironmentReader,
  engineScript,
  scriptAnswer,
} from '../../helper/engine/openconnect-script.ts';
import { readScriptEnvironment } from '../../helper/engine/openconnect-configuration.ts';
import { exec } from '../lab/process.ts';

/** What openconnect 9.01 gave against ocserv 1.1.6. */
const real = {
  reason: 'connect',
  TUNDEV: 'wm0',
  VPNGATEWAY: '198.51.100.2',
  VPNPID: '9955',
  CISCO_CSTP_OPTIONS: 'X-CSTP-Version=1',
  INTERNAL_IP4_ADDRESS: '198.51.100.147',
  INTERNAL_IP4_NETMASK: '255.255.255.192',
  INTERNAL_IP4_NETMASKLEN: '26',
  INTERNAL_IP4_MTU: '1434',
  INTERNAL_IP4_DNS: '198.51.100.65 2001:db8:2:1::65',
  INTERNAL_IP6_ADDRESS: '2001:db8:2:100::5',
  INTERNAL_IP6_NETMASK: '2001:db8:2:100::5/128',
  CISCO_DEF_DOMAIN: 'waymaker.test',
};

function read(changes: Record<string, string> = {}) {
  return readScriptEnvironment(new Map(Object.entries({ ...real, ...changes })), 'wm0');
}

test('a gateway’s configuration is taken over', () => {
  expect(read()).toEqual({
    ok: true,
    configuration: {
      addresses: { ipv4: '198.51.100.147', ipv6: '2001:db8:2:100::5' },
      mtu: 1434,
      dns: { servers: ['198.51.100.65', '2001:db8:2:1::65'], searchDomains: ['waymaker.test'] },
    },
  });
});

test('older engines give the IPv6 address with its length only', () => {
  expect(read({ INTERNAL_IP6_ADDRESS: '' })).toEqual(read());
});

test('without IPv6, and on a link too narrow for it, there are no IPv6 addresses and resolvers', () => {
  const without = { addresses: { ipv4: '198.51.100.147' }, dns: { servers: ['198.51.100.65'] } };
  expect(read({ INTERNAL_IP6_ADDRESS: '', INTERNAL_IP6_NETMASK: '' })).toMatchObject({
    configuration: without,
  });
  expect(read({ INTERNAL_IP4_MTU: '1200' })).toMatchObject({ configuration: { ...without, mtu: 1200 } });
});

describe('refused', () => {
  test.each([
    ['TUNDEV', 'eth0'],
    ['TUNDEV', ''],
    ['INTERNAL_IP4_ADDRESS', '198.51.100.147/0'],
    ['INTERNAL_IP4_ADDRESS', '0.0.0.0'],
    ['INTERNAL_IP4_ADDRESS', '127.0.0.1'],
    ['INTERNAL_IP4_ADDRESS', '224.0.0.1'],
    ['INTERNAL_IP4_ADDRESS', '255.255.255.255'],
    ['INTERNAL_IP4_ADDRESS', '198.51.100.147 dev eth0'],
    ['INTERNAL_IP4_ADDRESS', '198.51.100.147\nlink del dev eth0'],
    ['INTERNAL_IP6_ADDRESS', '::1'],
    ['INTERNAL_IP6_ADDRESS', 'fe80::1%eth0'],
    ['INTERNAL_IP6_ADDRESS', 'ff02::1'],
    ['INTERNAL_IP6_ADDRESS', '::ffff:198.51.100.1'],
    ['INTERNAL_IP4_MTU', '-1'],
    ['INTERNAL_IP4_MTU', '68'],
    ['INTERNAL_IP4_MTU', '99999'],
    ['INTERNAL_IP4_MTU', '1434; id'],
    ['INTERNAL_IP4_DNS', '198.51.100.65 $(id)'],
    ['INTERNAL_IP4_DNS', '127.0.0.1'],
    ['INTERNAL_IP4_DNS', Array.from({ length: 7 }, (_, index) => `198.51.100.${index + 1}`).join(' ')],
    ['CISCO_DEF_DOMAIN', 'a;b'],
    ['CISCO_DEF_DOMAIN', '~.'],
    ['CISCO_DEF_DOMAIN', '-option'],
    ['CISCO_DEF_DOMAIN', 'x'.repeat(300)],
  ])('%s=%s', (name, value) => {
    expect(read({ [name]: value })).toMatchObject({ ok: false });
  });

  test('no address at all', () => {
    expect(
      read({ INTERNAL_IP4_ADDRESS: '', INTERNAL_IP6_ADDRESS: '', INTERNAL_IP6_NETMASK: '' }),
    ).toMatchObject({ ok: false });
  });
});

test('whatever is in it, only plain addresses and domains come out', () => {
  const names = fc.constantFrom(...Object.keys(real));
  const values = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.ipV4(),
    fc.ipV6(),
    fc.constantFrom(...Object.values(real)),
  );
  fc.assert(
    fc.property(fc.dictionary(names, values), (changes) => {
      const result = read(changes);
      if (!result.ok) return;
      const { addresses, mtu, dns } = result.configuration;
      const texts = [
        addresses.ipv4 ?? '0',
        addresses.ipv6 ?? '0',
        String(mtu),
        ...dns.servers,
        ...dns.searchDomains,
      ];
      for (const text of texts) expect(text).toMatch(/^[A-Za-z0-9_][A-Za-z0-9_.:-]*$|^::[0-9a-f:.]*$/i);
    }),
    { numRuns: 5_000 },
  );
});

describe('the script', () => {
  /** Runs it as openconnect does, with descriptors 3 and 4, and resolves to its status and what it passed on. */
  async function run(environment: Record<string, string>, answer: string) {
    const wrapper = `exec 3>&1 4<<END\n${answer}END\nexec env -i "$@"`;
    const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    const { code, stdout } = await exec([
      'bash',
      '-c',
      wrapper,
      'bash',
      ...variables,
      '/bin/sh',
      '-c',
      engineScript,
    ]);
    const environments: (ReadonlyMap<string, string> | undefined)[] = [];
    createEnvironmentReader((passed) => environments.push(passed))(Buffer.from(stdout));
    return { code, environments };
  }

  test('passes its environment on, and succeeds if it is accepted', async () => {
    const hostile = { ...real, CISCO_BANNER: 'two\nlines=1 "$(id)" \u{1F600}' };
    const { code, environments } = await run(hostile, scriptAnswer.accepted);
    expect(code).toBe(0);
    expect(environments).toHaveLength(1);
    expect(Object.fromEntries(environments[0] ?? [])).toMatchObject(hostile);
  });

  test('fails if it is refused, or not answered', async () => {
    expect((await run(real, scriptAnswer.refused)).code).not.toBe(0);
    expect((await run(real, '')).code).not.toBe(0);
  });

  test.each(['pre-init', 'disconnect', 'attempt-reconnect', ''])(
    'has nothing to say to %s',
    async (reason) => {
      expect(await run({ ...real, reason }, '')).toEqual({ code: 0, environments: [] });
    },
  );
});

describe('the reader of environments', () => {
  const collect = () => {
    const seen: (ReadonlyMap<string, string> | undefined)[] = [];
    return { seen, read: createEnvironmentReader((environment) => seen.push(environment)) };
  };

  test('takes them apart wherever the bytes are cut', () => {
    const bytes = Buffer.from('A=1\0B=x=y\0\0C=3\0\0');
    const expected = [
      new Map([
        ['A', '1'],
        ['B', 'x=y'],
      ]),
      new Map([['C', '3']]),
    ];
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const { seen, read: feed } = collect();
      feed(bytes.subarray(0, cut));
      feed(bytes.subarray(cut));
      expect(seen).toEqual(expected);
    }
  });

  test('gives up on one that does not end', () => {
    const { seen, read: feed } = collect();
    for (let round = 0; round < 100; round += 1) feed(Buffer.alloc(1024, 'A'));
    feed(Buffer.from('\0\0'));
    expect(seen).toEqual([undefined]);
  });
});

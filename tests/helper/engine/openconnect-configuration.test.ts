import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkConfiguration } from '../../../helper/engine/checked-configuration.ts';
import { readEnvironment } from '../../../helper/engine/openconnect/configuration.ts';
import {
  createEnvironmentReader,
  engineScript,
  scriptAnswer,
} from '../../../helper/engine/openconnect/script.ts';
import { exec } from '../../lab/runs/process.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';

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

function read(changes: Record<string, string> = {}, { withRoutes = false } = {}) {
  const environment = new Map(Object.entries({ ...real, ...changes }));
  const given = readEnvironment(environment, { device: 'wm0', withRoutes });
  return given ? checkConfiguration(given) : { ok: false as const, problem: 'another device' };
}

const hosts = (count: number) =>
  Array.from({ length: count }, (_, index) => `198.51.100.${index + 65}`).join(' ');
const servers = (count: number) => ({ dns: { servers: hosts(count).split(' ') } });

test('a gateway’s configuration is taken over', () => {
  expect(read()).toEqual({
    ok: true,
    configuration: {
      addresses: { ipv4: '198.51.100.147', ipv6: '2001:db8:2:100::5' },
      mtu: 1434,
      dns: { servers: ['198.51.100.65', '2001:db8:2:1::65'], searchDomains: ['waymaker.test'] },
    },
    adjusted: [],
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

test.each(['corp..example', `${'a'.repeat(64)}.example`, '.', 'corp.example..'])(
  '%s is no search domain: systemd-resolved would refuse the resolvers with it',
  (domain) => {
    expect(read({ CISCO_DEF_DOMAIN: `corp.example ${domain}` })).toMatchObject({
      configuration: { dns: { searchDomains: ['corp.example'] } },
      adjusted: ['searchDomains'],
    });
  },
);

test('a search domain that begins with a dot is taken without it', () => {
  expect(read({ CISCO_DEF_DOMAIN: '.corp.example' })).toMatchObject({
    configuration: { dns: { searchDomains: ['corp.example'] } },
  });
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
    ['INTERNAL_IP4_ADDRESS', '169.254.1.1'],
  ])('%s=%s', (name, value) => {
    expect(read({ [name]: value })).toMatchObject({ ok: false });
  });

  test('no address at all', () => {
    expect(
      read({ INTERNAL_IP4_ADDRESS: '', INTERNAL_IP6_ADDRESS: '', INTERNAL_IP6_NETMASK: '' }),
    ).toMatchObject({ ok: false });
  });
});

describe('used as far as it goes, and named', () => {
  const valueOf: Record<string, string> = {
    INTERNAL_IP4_MTU: 'mtu',
    INTERNAL_IP4_DNS: 'servers',
    CISCO_DEF_DOMAIN: 'searchDomains',
  };
  test.each([
    ['INTERNAL_IP4_MTU', '510', { mtu: 510 }, false],
    ['INTERNAL_IP4_MTU', '9334', { mtu: 9000 }, true],
    ['INTERNAL_IP4_MTU', '0', { mtu: 68 }, true],
    ['INTERNAL_IP4_MTU', '-1', { mtu: 1280 }, true],
    ['INTERNAL_IP4_MTU', '1434; id', { mtu: 1280 }, true],
    ['INTERNAL_IP4_DNS', '198.51.100.65 $(id) 127.0.0.1 198.51.100.66', servers(2), true],
    ['INTERNAL_IP4_DNS', '127.0.0.53', { dns: { servers: [] } }, true],
    ['INTERNAL_IP4_DNS', hosts(7), servers(6), true],
    [
      'CISCO_DEF_DOMAIN',
      'a.test, b.test;c.test  d.test',
      { dns: { searchDomains: 'abcd'.split('').map((one) => `${one}.test`) } },
      false,
    ],
    ['CISCO_DEF_DOMAIN', 'a|b;$(id).test example.com', { dns: { searchDomains: ['example.com'] } }, true],
    ['CISCO_DEF_DOMAIN', '~. -option', { dns: { searchDomains: [] } }, true],
    ['CISCO_DEF_DOMAIN', 'x'.repeat(300), { dns: { searchDomains: [] } }, true],
  ])('%s=%s', (name, value, configuration, isAdjusted) => {
    const result = read({ [name]: value });
    expect(result).toMatchObject({ ok: true, configuration });
    expect(result).toMatchObject({ adjusted: isAdjusted ? [valueOf[name]] : [] });
  });
});

describe('pushed routes', () => {
  /** As openconnect passes them on, numbered from 0. */
  const pushed = (list: string, ...prefixes: string[]) =>
    Object.fromEntries([
      [list, String(prefixes.length)],
      ...prefixes.flatMap((prefix, index) => {
        const [address = '', length = ''] = prefix.split('/');
        return [
          [`${list}_${index}_ADDR`, address],
          [`${list}_${index}_MASKLEN`, length],
        ];
      }),
    ]) as Record<string, string>;
  const routes = (changes: Record<string, string>) => {
    const result = read(changes, { withRoutes: true });
    return result.ok ? (result.configuration.pushedRoutes ?? result.adjusted) : result.problem;
  };

  test('are read if they are wanted', () => {
    const changes = {
      ...pushed('CISCO_SPLIT_INC', '10.0.0.0/8', '203.0.113.0/24', '10.0.0.0/8'),
      ...pushed('CISCO_SPLIT_EXC', '10.1.0.0/16'),
      ...pushed('CISCO_IPV6_SPLIT_INC', '2001:db8:3::/48'),
    };
    const includes = ['10.0.0.0/8', '203.0.113.0/24', '2001:db8:3::/48'];
    expect(routes(changes)).toEqual({ includes, excludes: ['10.1.0.0/16'] });
    expect(read(changes)).toEqual(read());
    expect(routes({})).toEqual({ includes: [], excludes: [] });
  });

  test.each([
    ['CISCO_SPLIT_EXC', '0.0.0.0/32'],
    ['CISCO_SPLIT_EXC', '169.254.0.0/16'],
    ['CISCO_SPLIT_EXC', '224.0.0.0/4'],
    ['CISCO_SPLIT_EXC', '255.255.255.255/32'],
    ['CISCO_IPV6_SPLIT_EXC', 'fe80::/10'],
    ['CISCO_IPV6_SPLIT_EXC', 'ff00::/8'],
  ] as const)('stay as they are beside an exception for what no tunnel carries: %s %s', (list, special) => {
    const excluded = { CISCO_SPLIT_EXC: ['10.1.0.0/16'], CISCO_IPV6_SPLIT_EXC: [] as string[] };
    excluded[list].push(special);
    const changes = {
      ...pushed('CISCO_SPLIT_INC', '10.0.0.0/8'),
      ...pushed('CISCO_SPLIT_EXC', ...excluded.CISCO_SPLIT_EXC),
      ...pushed('CISCO_IPV6_SPLIT_EXC', ...excluded.CISCO_IPV6_SPLIT_EXC),
    };
    expect(routes(changes)).toEqual({ includes: ['10.0.0.0/8'], excludes: ['10.1.0.0/16'] });
  });

  test.each([
    pushed('CISCO_SPLIT_INC', '10.0.0.0/8', '127.0.0.0/8'),
    pushed('CISCO_SPLIT_INC', '224.0.0.0/4'),
    pushed('CISCO_SPLIT_INC', '10.0.0.0/33'),
    pushed('CISCO_SPLIT_INC', '10.0.0.0 dev eth0/8'),
    pushed('CISCO_SPLIT_INC', '2001:db8::/32'),
    pushed('CISCO_IPV6_SPLIT_INC', 'fe80::/10'),
    { CISCO_SPLIT_INC: '1' },
    { CISCO_SPLIT_INC: '-1' },
    { CISCO_SPLIT_INC: '999999' },
  ] as Record<string, string>[])('are left alone, all of them, if one is unusable: %j', (changes) => {
    expect(routes(changes)).toEqual(['routes']);
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
    { numRuns: isExhaustive ? 5_000 : 1_000 },
  );
});

describe('the script', () => {
  /** Runs it as openconnect does, with descriptors 3 and 4, and resolves to its status and what it passed on. */
  async function run(environment: Record<string, string>, answer: string, { withRoutes = false } = {}) {
    const wrapper = `exec 3>&1 4<<END\n${answer}END\nexec env -i "$@"`;
    const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    const script = ['/bin/sh', '-c', engineScript({ withRoutes })];
    const { code, stdout } = await exec(['bash', '-c', wrapper, 'bash', ...variables, ...script]);
    const passed = createEnvironmentReader(1024 * 1024)(Buffer.from(stdout));
    if (passed === 'too-much') throw new Error('more than one environment');
    return { code, passed: passed && Object.fromEntries(passed) };
  }

  test('passes on what is read and nothing else, and succeeds if it is accepted', async () => {
    const hostile = { ...real, CISCO_DEF_DOMAIN: 'two\nlines=1 "$(id)" \u{1F600} %s \\0' };
    const { code, passed } = await run({ ...hostile, CISCO_BANNER: 'hello' }, scriptAnswer.accepted);
    expect(code).toBe(0);
    expect({ ...hostile, INTERNAL_IP6_DNS: '' }).toMatchObject(passed ?? { nothing: 'passed' });
    expect(passed).toMatchObject({ TUNDEV: real.TUNDEV, CISCO_DEF_DOMAIN: hostile.CISCO_DEF_DOMAIN });
    expect(passed).not.toHaveProperty('CISCO_BANNER');
  });

  test('passes pushed routes on only where they are wanted', async () => {
    const route = {
      CISCO_SPLIT_INC: '1',
      CISCO_SPLIT_INC_0_ADDR: '10.0.0.0',
      CISCO_SPLIT_INC_0_MASKLEN: '8',
    };
    const odd = { CISCO_SPLIT_INC_0_MASK: '255.0.0.0', CISCO_IPV6_SPLIT_EXC_0_ADDR: 'x'.repeat(1000) };
    const all = { ...real, ...route, ...odd };
    const wanted = await run(all, scriptAnswer.accepted, { withRoutes: true });
    expect(wanted).toMatchObject({ code: 0, passed: route });
    for (const name of Object.keys(odd)) expect(wanted.passed).not.toHaveProperty(name);
    expect((await run(all, scriptAnswer.accepted)).passed).not.toHaveProperty('CISCO_SPLIT_INC');
  });

  test('cuts a value that is far too long', async () => {
    const { code, passed } = await run(
      { ...real, CISCO_DEF_DOMAIN: 'x'.repeat(60_000) },
      scriptAnswer.accepted,
    );
    expect(code).toBe(0);
    expect(passed?.['CISCO_DEF_DOMAIN']?.length).toBeLessThan(5_000);
    expect(passed?.['TUNDEV']).toBe(real.TUNDEV);
  });

  test('fails if it is refused, or not answered', async () => {
    expect((await run(real, scriptAnswer.refused)).code).not.toBe(0);
    expect((await run(real, '')).code).not.toBe(0);
  });

  test.each(['pre-init', 'disconnect', 'attempt-reconnect', ''])(
    'has nothing to say to %s',
    async (reason) => {
      expect(await run({ ...real, reason }, '')).toEqual({ code: 0, passed: undefined });
    },
  );
});

describe('the reader of environments', () => {
  test('takes one wherever its bytes are cut, then the next', () => {
    const bytes = Buffer.from('A=1\0B=x=y\0\0');
    const expected = new Map([
      ['A', '1'],
      ['B', 'x=y'],
    ]);
    const feed = createEnvironmentReader(100);
    for (let cut = 1; cut < bytes.length; cut += 1) {
      expect(feed(bytes.subarray(0, cut))).toBeUndefined();
      expect(feed(bytes.subarray(cut))).toEqual(expected);
    }
  });

  test('takes no second one before the first has been answered', () => {
    expect(createEnvironmentReader(100)(Buffer.from('A=1\0\0B'))).toBe('too-much');
  });

  test('gives up on one that does not end', () => {
    const feed = createEnvironmentReader(1_000);
    expect(feed(Buffer.alloc(1_000, 'A'))).toBeUndefined();
    expect(feed(Buffer.from('\0\0'))).toBe('too-much');
  });
});

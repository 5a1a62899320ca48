import { expect, test } from 'vitest';
import { internetSettings, scriptAddress } from '#node/os/windows/internet-settings.ts';
import type { LoadedRegistries } from '#node/os/windows/user-registry.ts';
import { pacFilePath } from '../../../../helper/proxy/serve-pac-file.ts';
import { clearProxies } from '../../../../helper/windows/service/clear-proxies.ts';
import { waitLimit } from '../../../lab/runs/wait-limit.ts';

const ownPac = `http://127.0.0.1:52011${pacFilePath('function FindProxyForURL() {}')}`;

/** The script that each user's settings name, if any. */
function registriesOf(scripts: Map<string, string | undefined>): LoadedRegistries {
  return {
    users: () => [...scripts.keys()],
    of: (user) => ({
      text: (path, name) =>
        path === internetSettings && name === scriptAddress ? scripts.get(user) : undefined,
      number: () => undefined,
      setText: () => expect.unreachable(),
      remove(path, name) {
        expect([path, name]).toEqual([internetSettings, scriptAddress]);
        scripts.set(user, undefined);
      },
    }),
  };
}

test('scripts of ours are removed from the settings of everybody who is logged in, and none of others', async () => {
  const others = [
    undefined,
    'http://wpad.example/wpad.dat',
    'http://127.0.0.1:1080/pac',
    'http://127.0.0.1:1080/proxy.pac',
    'http://192.0.2.1:52011/0123456789abcdef.pac',
    'http://127.0.0.1:52011/0123456789abcdef.pac?more',
    'file:///C:/0123456789abcdef.pac',
  ];
  const scripts = new Map<string, string | undefined>([
    ['S-1-5-21-1-2-3-1001', ownPac],
    ['S-1-5-21-1-2-3-1001_Classes', undefined],
    ['S-1-5-21-1-2-3-1002', ownPac],
    ...others.map((script, index) => [`S-1-5-21-1-2-3-2${index}`, script] as const),
  ]);
  await clearProxies(registriesOf(scripts), 0);
  expect([...scripts.values()]).toEqual([undefined, undefined, undefined, ...others]);
});

test('an app that puts back what was there before is waited for', async () => {
  const scripts = new Map<string, string | undefined>([['S-1-5-21-1-2-3-1001', ownPac]]);
  const registries = registriesOf(scripts);
  let looks = 0;
  await clearProxies(
    {
      ...registries,
      users() {
        looks += 1;
        if (looks === 3) scripts.set('S-1-5-21-1-2-3-1001', 'http://wpad.example/wpad.dat');
        return registries.users();
      },
    },
    waitLimit(60_000),
  );
  expect([...scripts.values()]).toEqual(['http://wpad.example/wpad.dat']);
});

import type { RunProgram } from '../../run-program.ts';

/**
 * Where a server of DHCP says that the script is (option 252), which NetworkManager always asks for and calls `wpad`
 * (nm-dhcp-options.c); undefined if it says nothing.
 */
export async function scriptByDhcp(run: RunProgram): Promise<string | undefined> {
  const args = ['--terse', '--escape', 'no', '--fields', 'DHCP4.OPTION', 'device', 'show'];
  const shown = (await run('nmcli', args).catch(() => undefined)) ?? '';
  for (const [, written = ''] of shown.matchAll(/^DHCP4\.OPTION\[\d+\]:wpad = (.*)$/gm)) {
    // Some servers end it with what ends texts in C, or with the end of a line.
    const address = URL.parse(written.replace(/(?:\\0{1,3}|\\n|\0|\s)+$/, ''));
    if (address?.protocol === 'http:' || address?.protocol === 'https:') return address.href;
  }
  return undefined;
}

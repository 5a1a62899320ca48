import type { RunProgram } from '../../run-program.ts';

/** NMMetered: yes, and what NetworkManager guesses from the kind of network, such as that of a phone. */
const metered = ['u 1', 'u 3'];

/** As NetworkManager says (“Metered” of org.freedesktop.NetworkManager); without it, nothing is. */
export async function isMeteredOnLinux(run: RunProgram): Promise<boolean> {
  const name = 'org.freedesktop.NetworkManager';
  const said = await run('busctl', [
    '--system',
    'get-property',
    name,
    '/org/freedesktop/NetworkManager',
    name,
    'Metered',
  ]);
  return said !== undefined && metered.includes(said.trim());
}

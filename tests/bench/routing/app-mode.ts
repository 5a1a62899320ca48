import path from 'node:path';
import { builtRenderer } from '../../e2e/support/host/paths.ts';
import { asUser } from '../../helper/support/callers/attach-as.ts';
import { startAs } from '../../helper/support/programs/grouped-process.ts';
import { createHelperLab } from '../../helper/support/helper-lab.ts';
import { byTurns, row, type Row } from '../row.ts';

const rounds = 41;
const builtHelper = path.join(path.dirname(builtRenderer), 'helper/helper.mjs');

export const appModeRows = ['app-mode-start'] as const;

/** A program that does nothing, from its start to its end: moved into the group before it begins, and as it is. */
export async function* measureAppMode(isWanted: (row: string) => boolean): AsyncGenerator<Row> {
  if (!appModeRows.some(isWanted)) return;
  await using net = await createHelperLab();
  await net.start({ script: builtHelper });
  const client = await net.connect({ routing: { mode: 'app', policy: 'include', localNetwork: false } });
  const timed = async (start: () => Promise<unknown>) => {
    const begun = performance.now();
    await start();
    return performance.now() - begun;
  };
  const samples = await byTurns(rounds, {
    ours: () =>
      timed(async () => {
        const program = await startAs(net.lab.user, 0, 'exec true');
        await client.call('moveProcess', { pid: program.pid, into: 'group' });
        await program.finish();
      }),
    peer: () => timed(() => net.lab.user.run(['setpriv', ...asUser(0), 'sh', '-c', 'exec true'])),
  });
  yield row('app-mode-start', samples, { unit: 'ms', better: 'lower' });
  await client.call('disconnect', {});
}

import type { Log } from '../log.ts';
import { planOf } from '../modes/plan-of.ts';
import type { Journal } from './journal/journal-file.ts';
import type { JournalEntry } from './journal/journal-entry.ts';
import { leftOverSteps } from './journal/left-over-steps.ts';
import type { Ports } from './ports/ports.ts';
import type { ProxyLifecycle } from './proxy-lifecycle.ts';
import type { Connection, Recovery } from './system-adapter.ts';
import type { TrafficBlock } from './traffic-block.ts';
import type { UndoRecord } from './journal/undo-record.ts';

/** Undoes what an earlier helper left. `onFound`: its connection, before anything is done about it. */
export async function recoverSystem(parts: {
  ports: Ports;
  journal: Journal<JournalEntry>;
  record: UndoRecord;
  proxies: ProxyLifecycle;
  trafficBlock: TrafficBlock;
  onFound: (connection: Connection) => void;
  log: Log;
}): Promise<Recovery> {
  const { ports, journal, record, proxies, trafficBlock, onFound, log } = parts;

  /** It is not known what should be blocked, so everything is, until the user unblocks it. */
  async function recoverUnreadable(text: string): Promise<Recovery> {
    log.warn('the journal cannot be read; traffic stays blocked until it is opened');
    await record.writeBlocking(undefined);
    const blocked = await trafficBlock.block(undefined, { afresh: true });
    const steps = await leftOverSteps(ports, log, text);
    await record.undo(undefined, steps, { keepBlocking: true });
    await proxies.end();
    return { kind: 'unreadable', blocked };
  }

  await ports.engines.endLeftOver();
  const content = await journal.read();
  if (content.kind === 'unreadable') return await recoverUnreadable(content.text);
  const earlier = content.kind === 'entry' ? content.entry.connection : null;
  // A proxy that is left over from a switch to or from another mode has no rules that keep it inside the tunnel.
  if (!earlier?.killSwitch || !planOf(earlier.routing).proxy) await proxies.end();
  if (content.kind === 'empty') {
    // Without a journal, nobody could open it: neither another start nor a reboot.
    if (ports.filterOutlastsReboot)
      await record.undo(undefined, await leftOverSteps(ports, log), { keepBlocking: false });
    return { kind: 'nothing' };
  }
  if (!earlier) return await recoverUnreadable(JSON.stringify(content.entry));
  onFound(earlier);
  const keepBlocking = earlier.killSwitch;
  // After a reboot, the filter is gone as well, so it comes first. Rules of the earlier helper that are no longer
  // wanted are removed.
  const blocked = keepBlocking && (await trafficBlock.block(earlier, { afresh: true }));
  if (!keepBlocking) await ports.connections.end();
  await record.undo(earlier, content.entry.steps, { keepBlocking });
  log.info('undid what an earlier helper left', { keepBlocking });
  return keepBlocking
    ? { kind: 'connection', connection: earlier, blocked }
    : { kind: 'ended', connection: earlier };
}

import type { Lab } from '../../lab/lab.ts';
import type { Contenders, Contender } from './contenders.ts';
import { byTurns, row, type Row } from '../row.ts';
import { firstReply, watchChanges } from './watch.ts';

const rounds = 7;
const lower = { unit: 'ms', better: 'lower' } as const;

/**
 * `-cold`: without a connection that is held ready. `-cookie`: beside a peer that has signed in before, as we have; the
 * others beside one that does it after the click.
 */
export const connectRows = [
  'connect-0ms',
  'connect-0ms-cookie',
  'disconnect-0ms',
  'connect-100ms',
  'connect-100ms-cookie',
  'connect-cold-100ms',
] as const;

/** Milliseconds from the click to the first reply, and from the end to nothing left. */
interface Life {
  connect: number;
  disconnect: number;
}

/** One life of a tunnel. */
async function live(lab: Lab, contender: Contender): Promise<Life> {
  const before = await lab.user.snapshot();
  await contender.prepare();
  const reply = await firstReply(lab);
  const clicked = await contender.click();
  const connect = (await reply.at) - clicked;
  await contender.connected();
  const changes = await watchChanges(lab);
  try {
    const ended = await contender.disconnect();
    // Looking at the machine takes both its processors: nobody is looked at before they say that they are done.
    await contender.disconnected();
    return { connect, disconnect: (await changes.settledAs(before)) - ended };
  } finally {
    await changes.end();
  }
}

/** From the click to the first packet through the tunnel, and from the second click to the machine as it was. */
export async function* measureConnect(
  lab: Lab,
  { ours, peer, peerWithCookie }: Contenders,
  isWanted: (row: string) => boolean,
): AsyncGenerator<Row> {
  const who = {
    ours: () => live(lab, ours),
    peer: () => live(lab, peer),
    peerWithCookie: () => live(lab, peerWithCookie),
  };
  if (connectRows.some((name) => name.includes('-0ms') && isWanted(name))) {
    const near = await byTurns(rounds, who);
    yield compare('connect-0ms', near.ours, near.peer, 'connect');
    yield compare('connect-0ms-cookie', near.ours, near.peerWithCookie, 'connect');
    yield compare('disconnect-0ms', near.ours, near.peer, 'disconnect');
  }
  if (connectRows.some((name) => name.includes('-100ms') && isWanted(name))) {
    const delay = await lab.delay(50);
    const far = await byTurns(rounds, { ...who, cold: () => live(lab, ours.cold) });
    yield compare('connect-cold-100ms', far.cold, far.peer, 'connect');
    await delay[Symbol.asyncDispose]();
    yield compare('connect-100ms', far.ours, far.peer, 'connect');
    yield compare('connect-100ms-cookie', far.ours, far.peerWithCookie, 'connect');
  }
}

function compare(
  name: (typeof connectRows)[number],
  ours: readonly Life[],
  peer: readonly Life[],
  what: keyof Life,
): Row {
  const values = (lives: readonly Life[]) => lives.map((life) => life[what]);
  return row(name, { ours: values(ours), peer: values(peer) }, lower);
}

import type { Lab } from '../lab/lab.ts';
import type { Ours, Peer, Rival } from './contenders.ts';
import { byTurns, row, type Row } from './row.ts';
import { firstReply, watchChanges } from './watch.ts';

const rounds = 7;
const lower = { unit: 'ms', better: 'lower' } as const;

/** One life of a tunnel. Milliseconds from the click to the first reply, and from the end to nothing left. */
async function live(lab: Lab, rival: Rival): Promise<{ connect: number; disconnect: number }> {
  const before = await lab.user.snapshot();
  await rival.prepare();
  const reply = await firstReply(lab);
  const clicked = await rival.click();
  const connect = (await reply.at) - clicked;
  await rival.connected();
  const changes = await watchChanges(lab);
  try {
    const ended = await rival.disconnect();
    return { connect, disconnect: (await changes.settledAs(before)) - ended };
  } finally {
    await changes.end();
  }
}

/** From the click to the first packet through the tunnel, and from the second click to the machine as it was. */
export async function measureConnect(lab: Lab, ours: Ours, peer: Peer): Promise<Row[]> {
  const near = await byTurns(rounds, { ours: () => live(lab, ours), peer: () => live(lab, peer) });
  const delay = await lab.delay(50);
  const far = await byTurns(rounds, { ours: () => live(lab, ours), peer: () => live(lab, peer) });
  await delay[Symbol.asyncDispose]();
  return [
    row('connect-0ms', pick(near, 'connect'), lower),
    row('connect-100ms', pick(far, 'connect'), lower),
    row('disconnect-0ms', pick(near, 'disconnect'), lower),
  ];
}

function pick<Key extends string>(
  samples: { ours: Record<Key, number>[]; peer: Record<Key, number>[] },
  key: Key,
): { ours: number[]; peer: number[] } {
  const values = (sample: Record<Key, number>[]) => sample.map((one) => one[key]);
  return { ours: values(samples.ours), peer: values(samples.peer) };
}

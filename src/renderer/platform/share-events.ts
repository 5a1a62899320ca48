import * as z from 'zod/mini';
import { accountChange } from '#shared/api/events.ts';
import { followEvents, type EventFollower, type FollowEventsOptions } from '#shared/api/follow-events.ts';

/** The name of the lock and the channel that pages of one browser share. */
const name = 'waymaker-events';
const followed = 'followed';
const message = z.union([z.literal(followed), z.array(accountChange)]);

/**
 * One stream for all pages of a browser that want one: the page with the lock (Web Locks) has it, and passes on events
 * (BroadcastChannel). Without locks, on plain http, each page has its own.
 */
export function shareEvents(options: FollowEventsOptions): Pick<EventFollower, 'start' | 'stop'> {
  const locks = (navigator as Partial<Navigator>).locks;
  if (!locks) return followEvents(options);
  const channel = new BroadcastChannel(name);
  channel.addEventListener('message', ({ data }) => {
    const { data: told } = message.safeParse(data);
    if (told === followed) options.onFollowed();
    else if (told) options.onChanges(told);
  });
  // A page that has the stream already has told so before this one listened.
  const tellIfFollowed = ({ held = [] }: LockManagerSnapshot) => {
    if (held.some((lock) => lock.name === name)) options.onFollowed();
  };
  locks.query().then(tellIfFollowed, () => undefined);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is its origin's, and takes none
  const tell = (told: z.infer<typeof message>) => channel.postMessage(told);
  const follower = followEvents({
    ...options,
    onFollowed() {
      options.onFollowed();
      tell(followed);
    },
    onChanges(changes) {
      options.onChanges(changes);
      tell([...changes]);
    },
  });
  let turn: AbortController | undefined;

  return {
    start() {
      if (turn) return;
      const own = new AbortController();
      turn = own;
      const { signal } = own;
      const hold = () =>
        new Promise<void>((resolve) => {
          if (signal.aborted) return resolve();
          signal.addEventListener('abort', () => resolve(), { once: true });
          follower.start();
        });
      // Rejects when the page no longer waits for the lock.
      locks.request(name, { signal }, hold).catch(() => undefined);
    },
    stop() {
      follower.stop();
      turn?.abort();
      turn = undefined;
    },
  };
}

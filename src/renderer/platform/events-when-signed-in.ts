import { connectivityProbe } from '#shared/constants.ts';
import type { FollowPageEvents } from './page-events.ts';

/** Loads the code that follows the service's events once somebody is signed in; nobody else has any. */
export const eventsWhenSignedIn =
  (load: () => Promise<FollowPageEvents>): FollowPageEvents =>
  (options) => {
    let follower: ReturnType<FollowPageEvents> | undefined;
    let isLoading = false;
    const start = async () => {
      if (follower || isLoading || options.session().token === undefined) return;
      isLoading = true;
      try {
        const follow = await load();
        follower = follow(options);
      } catch {
        // Until then, the page is updated whenever the user comes back to it.
        setTimeout(() => void start(), connectivityProbe.everySeconds * 1000);
      } finally {
        isLoading = false;
      }
    };
    void start();
    return {
      restart() {
        if (follower) follower.restart();
        else void start();
      },
    };
  };

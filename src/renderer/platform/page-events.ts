import { followEvents, type EventFollower, type FollowEventsOptions } from '#shared/api/follow-events.ts';
import { documentVisibility, type PageVisibility } from './page-visibility.ts';
import { shareEvents } from './share-events.ts';
import { streamFromService } from './fetch-from-service.ts';

/** How a host inside the page follows the service's events. */
export type FollowPageEvents = (
  options: Pick<FollowEventsOptions, 'baseUrl' | 'session' | 'onFollowed' | 'onChanges' | 'onSignedOut'>,
) => Pick<EventFollower, 'restart'>;

/**
 * Follows them while the page is visible; when it becomes visible again, it asks for what was missed. `isShared`: all
 * pages of this browser are the same device, and one of them has the stream for all.
 */
export const followPageEvents =
  (isShared: boolean, visibility: PageVisibility = documentVisibility()): FollowPageEvents =>
  (options) => {
    const whole = { ...options, fetch: streamFromService };
    const follower = isShared ? shareEvents(whole) : followEvents(whole);
    const update = () => {
      if (visibility.isVisible()) follower.start();
      else follower.stop();
    };
    visibility.onVisible(update);
    visibility.onHidden(update);
    update();
    return {
      restart() {
        follower.stop();
        update();
      },
    };
  };

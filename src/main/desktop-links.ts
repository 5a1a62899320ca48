import { isServerAt } from '#shared/plan/usable-group.ts';
import type { Say } from '#shared/texts/say.ts';
import { refusalTexts } from '#shared/texts/tunnel-texts.ts';
import type { ConnectRefusal } from '#shared/tunnel/look.ts';
import type { Core } from './core/core.ts';
import type { Question } from './desktop-quit.ts';
import { parseDeepLink } from './links/deep-link.ts';
import { shownName } from './tray/shown-name.ts';

export interface DesktopLinksOptions {
  core: Core;
  say: Say;
  ask: (question: Question) => Promise<number>;
  openWindow: () => void;
  /** A link that waited for a sign-in could not be carried out. */
  failed: (error: unknown) => void;
  complain(title: string, text?: string): void;
}

/** Carries out a link, after the user has agreed to whatever it would change. */
export function createDesktopLinks({
  core,
  say,
  ask,
  openWindow,
  failed,
  ...options
}: DesktopLinksOptions): (link: string) => Promise<void> {
  let isAsking = false;
  /** Opened while nobody was signed in: the user may have opened it to sign in. */
  let waiting: { serverId: string | undefined } | undefined;

  function refuse(refusal: ConnectRefusal): void {
    const { title, text } = refusalTexts[refusal];
    options.complain(say(title), text && say(text));
  }

  const listed = (serverId: string | undefined) =>
    serverId === undefined ? core.server.server() : core.servers()?.find((one) => one.serverId === serverId);

  /** A link that starts the app comes before the service's lists, and one in a mail may name a new server. */
  async function find(serverId: string | undefined) {
    const known = listed(serverId);
    if (known) return known;
    await core.refreshServers();
    return listed(serverId);
  }

  async function connect(serverId: string | undefined): Promise<void> {
    await core.session.load();
    if (!core.session.session().signedIn) {
      // The window asks the user to sign in.
      waiting = { serverId };
      return;
    }
    const server = await find(serverId);
    if (!server) return refuse(serverId === undefined ? 'no-server-selected' : 'not-listed');
    const state = core.tunnel.state();
    if (state.state === 'connected' && !state.ownedByOther && isServerAt(server, state.gateway)) return;
    const agreed = await ask({
      title: say('link.connectTitle', { server: shownName(server.name) }),
      text: say('link.connectText'),
      buttons: [say('connect.connect'), say('connect.cancel')],
      usual: 1,
    });
    if (agreed !== 0) return;
    // Somebody may have signed out while the question was open, and the choice would be the next account's.
    if (!core.session.session().signedIn || !listed(server.serverId)) return;
    core.server.choose(server.serverId);
    const reply = await core.tunnel.connectTo(server, { isByUser: true });
    if (!reply.ok) refuse(reply.error);
  }

  /** Several links lead to only one question. */
  async function connectOnce(serverId: string | undefined): Promise<void> {
    if (isAsking) return;
    isAsking = true;
    try {
      await connect(serverId);
    } finally {
      isAsking = false;
    }
  }

  core.session.onChange(({ signedIn }) => {
    if (!signedIn || !waiting) return;
    const { serverId } = waiting;
    waiting = undefined;
    void connectOnce(serverId).catch(failed);
  });

  return async (link) => {
    openWindow();
    const wanted = parseDeepLink(link);
    if (wanted?.does === 'connect') await connectOnce(wanted.serverId);
  };
}

import { isServerAt } from '#shared/plan/usable-group.ts';
import type { Say } from '#shared/texts/say.ts';
import { refusalTexts } from '#shared/texts/tunnel-texts.ts';
import { serverAddress } from '#shared/tunnel/address.ts';
import type { ConnectRefusal } from '#shared/tunnel/look.ts';
import type { Core } from './core.ts';
import type { Question } from './desktop-quit.ts';
import { parseDeepLink } from './links/deep-link.ts';

export interface DesktopLinksOptions {
  core: Core;
  say: Say;
  ask: (question: Question) => Promise<number>;
  openWindow: () => void;
  complain(title: string, text?: string): void;
}

/** Carries out a link, after the user has agreed to whatever it would change. */
export function createDesktopLinks({
  core,
  say,
  ask,
  openWindow,
  ...options
}: DesktopLinksOptions): (link: string) => Promise<void> {
  let isAsking = false;

  function refuse(refusal: ConnectRefusal): void {
    const { title, text } = refusalTexts[refusal];
    options.complain(say(title), text && say(text));
  }

  async function connect(serverId: string | undefined): Promise<void> {
    await core.session.load();
    // The window asks the user to sign in.
    if (!core.session.session().signedIn) return;
    const server =
      serverId === undefined
        ? core.server.server()
        : core.servers()?.find((one) => one.serverId === serverId);
    if (!server) return refuse(serverId === undefined ? 'no-server-selected' : 'not-listed');
    const state = core.tunnel.state();
    if (state.state === 'connected' && !state.ownedByOther && isServerAt(server, state.gateway)) return;
    const agreed = await ask({
      title: say('link.connectTitle', { server: server.name }),
      text: say('link.connectText'),
      buttons: [say('connect.connect'), say('connect.cancel')],
      usual: 1,
    });
    if (agreed !== 0) return;
    core.server.choose(server.serverId);
    const reply = await core.tunnel.host.connect({ address: serverAddress(server) });
    if (!reply.ok) refuse(reply.error);
  }

  return async (link) => {
    openWindow();
    const wanted = parseDeepLink(link);
    // Several links lead to only one question.
    if (wanted?.does !== 'connect' || isAsking) return;
    isAsking = true;
    try {
      await connect(wanted.serverId);
    } finally {
      isAsking = false;
    }
  };
}

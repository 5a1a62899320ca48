import { isDeepStrictEqual } from 'node:util';
import type { Routing } from '#shared/tunnel/state.ts';
import type { Say } from '#shared/texts/say.ts';
import { noListsText } from '#shared/texts/no-lists-text.ts';
import { refusalTexts } from '#shared/texts/tunnel-texts.ts';
import type { ConnectRefusal } from '#shared/tunnel/look.ts';
import type { Core } from './core/core.ts';
import { trayView, type TrayAction, type TrayView } from './tray/tray-view.ts';

/** The icon beside the clock, and its menu. */
export interface DesktopTray {
  /** The user clicked the icon itself, on systems where that does not open the menu. */
  click(): void;
  /** The user chooses an item. */
  act(action: TrayAction): Promise<void>;
}

export interface DesktopTrayOptions {
  core: Core;
  say: Say;
  /** Shows this view from now on. */
  draw(view: TrayView): void;
  openWindow: () => void;
  quit(): void;
  /** The user's last action was not possible. */
  complain(title: string, text?: string): void;
}

/** The tray as a view of the core; redrawn only when what it shows has changed. */
export function createDesktopTray(options: DesktopTrayOptions): DesktopTray {
  const { core, say, openWindow } = options;
  let routingModes: readonly Routing['mode'][] = [];
  let isAsked = false;
  /** The connection was started here, so the gateway's questions have to be answered in the window. */
  let isConnectingHere = false;
  /** Nothing is shown before it is known whether there is a helper and who is signed in. */
  let isReady = false;
  let drawn: TrayView | undefined;

  function draw(isForced = false): void {
    if (!isReady) return;
    const servers = core.servers();
    const view = trayView(
      {
        state: core.tunnel.state(),
        isSignedIn: core.session.session().signedIn,
        isPlanKnown: servers !== undefined,
        servers: servers ?? [],
        chosen: core.server.server(),
        recent: core.recentServers.ids(),
        isAsked,
        routing: core.preferences.get().routing,
        routingModes,
        behaviour: core.behaviour.get(),
        update: core.update.version(),
      },
      say,
    );
    if (!isForced && isDeepStrictEqual(view, drawn)) return;
    drawn = view;
    options.draw(view);
  }

  async function learnRoutingModes(): Promise<void> {
    routingModes = await core.routingModes();
    draw();
  }

  async function connect(serverId: string): Promise<void> {
    const server = core.servers()?.find((one) => one.serverId === serverId);
    if (!server) return refuse('not-listed');
    core.server.choose(serverId);
    isConnectingHere = true;
    const reply = await core.tunnel.connectTo(server, { isByUser: true });
    if (!reply.ok) refuse(reply.error);
  }

  function refuse(refusal: ConnectRefusal): void {
    const { title, text } = refusalTexts[refusal];
    options.complain(say(title), text && say(text));
  }

  async function set(change: Extract<TrayAction, { do: 'set' }>['change']): Promise<void> {
    const reply = await core.preferences.set(change);
    if (!reply.ok)
      options.complain(
        reply.error === 'no-lists' ? noListsText(reply.failure, change.routing, say) : say('error.setting'),
      );
    // The system has already toggled the item.
    draw(true);
  }

  function behave(change: Extract<TrayAction, { do: 'behave' }>['change']): void {
    if (!core.behaviour.set(change)) options.complain(say('error.setting'));
    draw(true);
  }

  core.onTunnelState(({ state }) => {
    if (state === 'connected' || state === 'disconnected') isConnectingHere = false;
    // A helper that came back may be another version.
    void learnRoutingModes();
  });
  core.onGatewayForm((form) => {
    isAsked = form !== null;
    if (isAsked && isConnectingHere) openWindow();
    draw();
  });
  core.session.onChange(() => draw());
  core.server.onChange(() => draw());
  core.recentServers.onChange(() => draw());
  core.preferences.onChange(() => draw());
  core.behaviour.onChange(() => draw());
  core.update.onChange(() => draw());
  core.onPlanChange(() => draw());
  core.operatorTexts.onChange(() => draw());
  void Promise.all([core.routingModes(), core.session.load()]).then(() => {
    isReady = true;
    return learnRoutingModes();
  });

  return {
    click: openWindow,
    async act(action) {
      switch (action.do) {
        case 'connect':
          return await connect(action.serverId);
        case 'disconnect':
          return void (await core.tunnel.host.disconnect(undefined));
        case 'set':
          return await set(action.change);
        case 'behave':
          return behave(action.change);
        case 'open':
          return openWindow();
        case 'quit':
          return options.quit();
        default:
          return action satisfies never;
      }
    },
  };
}

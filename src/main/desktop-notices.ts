import { languageTags } from '#shared/language.ts';
import { serverAt } from '#shared/plan/usable-group.ts';
import type { Say } from '#shared/texts/say.ts';
import { reasonTexts } from '#shared/texts/tunnel-texts.ts';
import type { DisconnectReason } from '#shared/tunnel/state.ts';
import type { Core } from './core/core.ts';
import { dueWarning, type PlanEnd, type Warning } from './notices/plan-warnings.ts';
import { createSessionWarning } from './notices/session-warning.ts';
import {
  nextNotice,
  noMemory,
  wakeAt,
  type NoticeEvent,
  type TunnelNotice,
} from './notices/tunnel-notices.ts';
import { shownName } from './tray/shown-name.ts';
import { readTimeZoneAgain } from './time-zone.ts';
import type { AppUpdates } from './updates/app-updates.ts';

export interface Notice {
  title: string;
  text?: string | undefined;
}

/** What a notice is about: one takes the place of an earlier one about the same, which is not so any more. */
export type NoticeSubject = 'tunnel' | 'session' | 'form' | 'plan' | 'update';

export interface DesktopNoticesOptions {
  core: Core;
  /** Where there are updates of the app. */
  updates?: Pick<AppUpdates, 'view' | 'onChange'> | undefined;
  say: Say;
  /** Whether the user is looking at the window, which shows everything. */
  isInFront(): boolean;
  notify(notice: Notice, subject: NoticeSubject): void;
  /** Takes back what was said about it, if anything: it is not so any more, or the user knows. */
  withdraw(subject: NoticeSubject): void;
}

export interface DesktopNotices {
  /** The user has seen the window. */
  seen(): void;
  /** A connection without a click has failed. */
  attemptFailed(reason: DisconnectReason): void;
  close(): void;
}

const planCheckMs = 60_000;

/** Notifies the user about what happens while they are not looking. */
export function createDesktopNotices(options: DesktopNoticesOptions): DesktopNotices {
  const { core, say } = options;
  const isInFront = () => options.isInFront();
  let memory = noMemory;
  let wake: NodeJS.Timeout | undefined;

  const notify = (subject: NoticeSubject, notice: Notice) => {
    if (core.behaviour.get().notifications) options.notify(notice, subject);
    else options.withdraw(subject);
  };

  function take(event: NoticeEvent): void {
    const { belief } = memory;
    const next = nextNotice(memory, event);
    memory = next.memory;
    clearTimeout(wake);
    const at = wakeAt(memory);
    if (at !== undefined) {
      const wait = Math.max(0, at - performance.now());
      wake = setTimeout(() => take({ type: 'wake', at: Math.max(at, performance.now()) }), wait).unref();
    }
    if (next.notice) notify('tunnel', tunnelText(next.notice));
    else if (event.type === 'seen' || event.type === 'command' || memory.belief !== belief)
      options.withdraw('tunnel');
  }

  function tunnelText(notice: TunnelNotice): Notice {
    switch (notice.kind) {
      case 'connected': {
        const server = serverAt(notice.gateway, core.servers() ?? [], core.server.server());
        return { title: say('tray.connectedTo', { server: shownName(server?.name ?? notice.gateway.host) }) };
      }
      case 'reconnecting':
        return { title: say('notice.lost'), text: say('notice.lostText') };
      case 'blocked':
        return { title: say('connect.blocked'), text: say('connect.blockedText') };
      case 'disconnected':
        return reasonText(notice.reason);
      default:
        return notice satisfies never;
    }
  }

  function reasonText(reason: DisconnectReason | undefined): Notice {
    if (reason === undefined) return { title: say('notice.disconnected'), text: say('connect.exposed') };
    const { title, text } = reasonTexts[reason];
    return { title: say(title), text: text && say(text) };
  }

  function checkPlan(): void {
    const end = core.planEnd();
    const due = dueWarning(end, core.clock.now());
    if (!end || !due) return options.withdraw('plan');
    if (!core.toldOnce(due.name)) return;
    // The window shows how much time is left.
    if (!isInFront()) notify('plan', planText(end.kind, due.warning));
  }

  function planText(kind: PlanEnd['kind'], { amount, unit }: Warning): Notice {
    const format = { style: 'unit', unit, unitDisplay: 'long' } as const;
    const time = new Intl.NumberFormat(languageTags[core.language()], format).format(amount);
    return { title: say(`notice.${kind}Ends`, { time }), text: say('notice.endsText') };
  }

  const sessionWarning = createSessionWarning({
    isInFront,
    withdraw: () => options.withdraw('session'),
    warn(endsAt) {
      readTimeZoneAgain();
      const time = new Intl.DateTimeFormat(languageTags[core.language()], { timeStyle: 'short' });
      notify('session', {
        title: say('notice.sessionEnds', { time: time.format(endsAt) }),
        text: say('notice.sessionEndsText'),
      });
    },
  });

  core.onTunnelState((state) => {
    take({ type: 'state', state, isInFront: isInFront(), at: performance.now() });
    sessionWarning.follow(state);
  });
  core.onTunnelCommand((command) => take({ type: 'command', command, at: performance.now() }));
  core.onGatewayForm((form) => {
    if (!form) options.withdraw('form');
    else if (!isInFront()) notify('form', { title: say('gatewayForm.title') });
  });
  function tellOfUpdate(): void {
    const version = core.update.version();
    if (options.updates?.view() || version === undefined || !core.toldOnce(`update ${version}`)) return;
    notify('update', { title: say('notice.update', { version }), text: say('notice.updateText') });
  }

  /** Once for each version: who has read it knows where it is. */
  function tellOfReadyUpdate(): void {
    const view = options.updates?.view();
    if (view === null) options.withdraw('update');
    const state = view?.state;
    if ((state?.kind !== 'ready' && state?.kind !== 'installed') || isInFront()) return;
    const { kind, version } = state;
    // That it was available may have been said before.
    if (!core.toldOnce(kind === 'ready' ? `update ${version}` : `installed ${version}`)) return;
    notify('update', {
      title: say(kind === 'ready' ? 'notice.updateReady' : 'notice.updateInstalled', { version }),
      text: say(kind === 'ready' ? 'notice.updateReadyText' : 'notice.updateInstalledText'),
    });
  }

  options.updates?.onChange(tellOfReadyUpdate);
  core.update.onChange(tellOfUpdate);
  core.onPlanChange(checkPlan);
  const planTimer = setInterval(checkPlan, planCheckMs).unref();

  return {
    seen: () => take({ type: 'seen' }),
    attemptFailed(reason) {
      const { text } = reasonTexts[reason];
      if (!isInFront()) notify('tunnel', { title: say('connect.failed'), text: text && say(text) });
    },
    close() {
      clearInterval(planTimer);
      clearTimeout(wake);
      sessionWarning.stop();
    },
  };
}

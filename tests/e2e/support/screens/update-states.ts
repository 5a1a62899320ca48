import type { UpdateView } from '#shared/host/updates-contract.ts';
import type { UpdateTextKey } from '#shared/texts/update-texts.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';

/** What the settings can say about updates. */
export interface UpdateScreen {
  name: string;
  view: UpdateView;
  /** What they say, and what is on the button. */
  says: readonly UpdateTextKey[];
  button?: UpdateTextKey;
  /** Whether that can be pressed; it can if absent. */
  isHeld?: true;
  tunnel?: TunnelState;
}

export const newVersion = '12.34.56';
const version = newVersion;
/** For all placeholders. */
export const updateValues = { version, size: '81 MB', received: '31 MB' };

/** As on Windows, where nothing has failed before. */
const viewOf = (state: UpdateView['state'], more: Partial<UpdateView> = {}): UpdateView => ({
  state,
  failedVersion: null,
  endsTunnel: true,
  reopens: true,
  ...more,
});

const readyState = { kind: 'ready', version, held: null } as const;
/** macOS' installer does not open the app again. */
const onMacos = { reopens: false };

const connected: TunnelState = {
  state: 'connected',
  gateway: { host: 'gw.example', port: 443 },
  since: 1_764_288_000_000,
  addresses: { ipv4: '198.51.100.7' },
  transport: 'dtls',
  routing: { mode: 'global', localNetwork: true },
};

const failed = (problem: UpdateProblem, text: UpdateTextKey): UpdateScreen => ({
  name: `failed-${problem}`,
  view: viewOf({ kind: 'failed', problem }),
  says: [text],
  button: 'update.check',
});
type UpdateProblem = (UpdateView['state'] & { kind: 'failed' })['problem'];
type UpdateHeld = NonNullable<(UpdateView['state'] & { kind: 'ready' })['held']>;

const held = (why: UpdateHeld, text: UpdateTextKey, more: Partial<UpdateView> = {}): UpdateScreen => ({
  name: `held-${why}`,
  view: viewOf({ ...readyState, held: why }, more),
  says: ['update.ready', text],
  button: 'update.installAndReopen',
});

/** Every state, and every text. */
export const updateScreens: readonly UpdateScreen[] = [
  { name: 'unknown', view: viewOf({ kind: 'unknown' }), says: [], button: 'update.check' },
  {
    name: 'failed-before',
    view: viewOf({ kind: 'unknown' }, { failedVersion: version }),
    says: ['update.failedBefore'],
    button: 'update.check',
  },
  // Its button only shows that it is busy.
  { name: 'checking', view: viewOf({ kind: 'checking' }), says: ['update.checking'] },
  { name: 'current', view: viewOf({ kind: 'current' }), says: ['update.current'], button: 'update.check' },
  {
    name: 'later',
    view: viewOf({ kind: 'later', version }),
    says: ['update.later'],
    button: 'update.download',
  },
  {
    name: 'metered',
    view: viewOf({ kind: 'metered', version, size: 81_000_000 }),
    says: ['update.metered'],
    button: 'update.download',
  },
  {
    name: 'downloading',
    view: viewOf({ kind: 'downloading', version, received: 31_000_000, size: 81_000_000 }),
    says: ['update.downloading', 'update.progress'],
  },
  {
    name: 'downloading-begun',
    view: viewOf({ kind: 'downloading', version, received: 0, size: 81_000_000 }),
    says: ['update.downloading'],
  },
  {
    name: 'ready',
    view: viewOf(readyState),
    says: ['update.ready', 'update.readyText'],
    button: 'update.installAndReopen',
  },
  {
    name: 'ready-on-macos',
    view: viewOf(readyState, onMacos),
    says: ['update.ready', 'update.readyText'],
    button: 'update.install',
  },
  {
    name: 'ready-in-app-image',
    view: viewOf(readyState, { endsTunnel: false }),
    says: ['update.ready', 'update.readyAtQuit'],
    button: 'update.installAndReopen',
  },
  {
    name: 'ready-again',
    view: viewOf(readyState, { failedVersion: version }),
    says: ['update.ready', 'update.readyAgain'],
    button: 'update.installAndReopen',
  },
  {
    name: 'ready-after-another',
    view: viewOf(readyState, { failedVersion: '12.34.55' }),
    says: ['update.ready', 'update.readyText'],
    button: 'update.installAndReopen',
  },
  held('would-open', 'update.wouldOpen'),
  held('would-open-other', 'update.wouldOpenOther'),
  held('not-started', 'update.notStarted'),
  held('running', 'update.running'),
  held('not-writable', 'update.notWritable', { endsTunnel: false }),
  held('not-replaced', 'update.notReplaced', { endsTunnel: false }),
  {
    name: 'installing',
    view: viewOf({ kind: 'installing', version }),
    says: ['update.installingAndReopens'],
  },
  {
    name: 'installing-on-macos',
    view: viewOf({ kind: 'installing', version }, onMacos),
    says: ['update.installing'],
  },
  {
    name: 'installed',
    view: viewOf({ kind: 'installed', version }, { endsTunnel: false }),
    says: ['update.installed', 'update.installedText'],
    button: 'update.restart',
  },
  failed('unreachable', 'update.unreachable'),
  failed('untrusted', 'update.untrusted'),
  failed('other-product', 'update.untrusted'),
  failed('replayed', 'update.untrusted'),
  failed('damaged', 'update.untrusted'),
  failed('no-room', 'update.noRoom'),
  failed('busy', 'update.busy'),
  // Last: pages learn of another tunnel only some seconds later. The kill switch is on.
  {
    name: 'ready-while-connected',
    view: viewOf(readyState),
    tunnel: connected,
    says: ['update.ready', 'update.endsTunnel'],
    button: 'update.installAndReopen',
  },
  {
    name: 'ready-while-other-connected',
    view: viewOf(readyState),
    tunnel: { ...connected, ownedByOther: true },
    says: ['update.ready', 'update.wouldOpenOther'],
    button: 'update.installAndReopen',
    isHeld: true,
  },
];

/** What is said before anybody asks for it, if the kill switch is off. */
export const readyWithoutKillSwitch: UpdateScreen = {
  name: 'ready-without-kill-switch',
  view: viewOf(readyState),
  tunnel: connected,
  says: ['update.ready', 'update.wouldOpen'],
  button: 'update.installAndReopen',
  isHeld: true,
};

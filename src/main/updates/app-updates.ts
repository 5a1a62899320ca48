import type { Logger } from 'pino';
import type { UpdateFeed } from '#node/manifest/update-feed.ts';
import type { UpdateHeld, UpdateState, UpdateView } from '#shared/host/updates-contract.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { isTunnelOfAnybody, wouldOpenTraffic } from '#shared/tunnel/would-open-traffic.ts';
import { createListeners } from '../listeners.ts';
import { downloadUpdate, findDownload } from './download-update.ts';
import { findUpdate, type UpdateSource } from './find-update.ts';
import { settleLastAttempt } from './last-attempt.ts';
import type { UpdateInstaller } from './update-installer.ts';
import type { UpdateMemory } from './update-memory.ts';

export interface AppUpdatesOptions {
  source: UpdateSource;
  memory: Pick<UpdateMemory, 'started' | 'failed'>;
  /** Only downloads are in it. */
  folder: string;
  installer: UpdateInstaller;
  tunnel: () => TunnelState;
  /** This user's. */
  killSwitch: () => boolean;
  /** Whether what is downloaded costs its user money, as far as the system says. */
  isMetered: () => Promise<boolean>;
  /** Ends the app, once an installer runs. */
  leave: () => void;
  log: Logger;
}

/** The app's updates, where no package manager brings them, and what one has brought where one does. */
export interface AppUpdates {
  /** Null if there is nothing to say: a package manager looks for them, and has not brought any. */
  view(): UpdateView | null;
  onChange(listener: (view: UpdateView | null) => void): void;
  /**
   * Looks for a newer version, and downloads it, unless the network is metered. False if that has to be tried again.
   */
  check(): Promise<boolean>;
  /** The same at the user's wish: before this computer's turn, and whatever the network costs. */
  download(): Promise<void>;
  /** Installs what is ready, and ends the app; where traffic would be left open, it says so instead. */
  install(): Promise<void>;
  /** The user has quit the app: installs what is ready, unless that ends a tunnel, or nobody wants it. */
  installAtQuit(): Promise<void>;
  close(): void;
}

/** Those that the app looks for itself. */
interface OwnUpdates extends AppUpdates {
  view(): UpdateView;
  onChange(listener: (view: UpdateView) => void): void;
}

/** A progress of less than this share is not told. */
const progressStep = 0.01;

export async function createAppUpdates(options: AppUpdatesOptions): Promise<OwnUpdates> {
  const { source, memory, folder, installer, log } = options;
  const listeners = createListeners<UpdateView>();
  const closing = new AbortController();
  const settle = () => settleLastAttempt(memory, source.version, installer);
  let last = await settle();
  let state: UpdateState = { kind: 'unknown' };
  /** What is downloaded, as it was signed. */
  let ready: UpdateFeed | undefined;
  let work: Promise<boolean> | undefined;
  let isLeaving = false;

  const { endsTunnel, reopens } = installer;
  const failedVersion = () => (last.kind === 'failed' ? last.version : null);
  const view = (): UpdateView => ({ state, failedVersion: failedVersion(), endsTunnel, reopens });
  function become(next: UpdateState): void {
    state = next;
    if (!closing.signal.aborted) listeners.emit(view());
  }
  const showReady = (feed: UpdateFeed, held: UpdateHeld | null = null) =>
    become({ kind: 'ready', version: feed.version, held });

  /** One after the other would only do the same again. */
  async function once(act: () => Promise<boolean>): Promise<boolean> {
    if (isLeaving || closing.signal.aborted) return true;
    work ??= act().finally(() => (work = undefined));
    return await work;
  }

  async function look({ isWanted }: { isWanted: boolean }): Promise<boolean> {
    const before = state;
    if (last.kind === 'running') last = await settle();
    if (!ready) become({ kind: 'checking' });
    try {
      const found = await findUpdate(source, { isWanted });
      if (found.kind === 'problem') {
        log.info({ problem: found.problem }, 'no answer to whether there is an update');
        // What was downloaded is as good as before.
        if (!ready) become({ kind: 'failed', problem: found.problem });
        return false;
      }
      if (found.kind !== 'update') {
        const later = found.kind === 'later' && !found.isWithdrawn ? found.version : undefined;
        // Somebody wanted it before this computer's turn.
        if (ready && later === ready.version) return true;
        ready = undefined;
        become(later === undefined ? { kind: 'current' } : { kind: 'later', version: later });
        return true;
      }
      return await fetchUpdate(found.feed, { isWanted });
    } catch (error) {
      if (closing.signal.aborted) return true;
      // Such as a folder that cannot be written to.
      log.error({ err: error }, 'looking for an update failed');
      if (ready) showReady(ready);
      else become(before);
      return false;
    }
  }

  async function fetchUpdate(feed: UpdateFeed, { isWanted }: { isWanted: boolean }): Promise<boolean> {
    const { version, files } = feed;
    const { size } = files[0];
    if (ready?.files[0].sha512 === files[0].sha512 && (await findDownload(feed, folder)) !== undefined) {
      showReady(feed, state.kind === 'ready' ? state.held : null);
      return true;
    }
    ready = undefined;
    if (!isWanted && (await findDownload(feed, folder)) === undefined && (await options.isMetered())) {
      become({ kind: 'metered', version, size });
      return true;
    }
    become({ kind: 'downloading', version, received: 0, size });
    let told = 0;
    const onProgress = (received: number): void => {
      if (received - told < size * progressStep && received < size) return;
      told = received;
      become({ kind: 'downloading', version, received, size });
    };
    const outcome = await downloadUpdate(source, feed, { folder, onProgress, signal: closing.signal });
    if (outcome.kind === 'problem') {
      log.info({ problem: outcome.problem, version }, 'the update was not downloaded');
      become({ kind: 'failed', problem: outcome.problem });
      return false;
    }
    ready = feed;
    showReady(feed);
    return true;
  }

  async function start(opensAgain: boolean): Promise<boolean> {
    const feed = ready;
    if (!feed) return false;
    const file = await findDownload(feed, folder);
    if (file === undefined) {
      ready = undefined;
      become({ kind: 'failed', problem: 'damaged' });
      return false;
    }
    // The command line may have started it.
    last = await settle();
    if (last.kind === 'running') {
      showReady(feed, 'running');
      return false;
    }
    // Asked last: what came before can take a while.
    const now = options.tunnel();
    if (endsTunnel && wouldOpenTraffic(now, options.killSwitch())) {
      showReady(feed, now.ownedByOther ? 'would-open-other' : 'would-open');
      return false;
    }
    become({ kind: 'installing', version: feed.version });
    const onBegun = () => memory.started.set(feed.version);
    const outcome = await installer.start(file, { opensAgain, onBegun });
    if (outcome !== 'started') {
      memory.started.set(undefined);
      showReady(feed, outcome);
      return false;
    }
    log.info({ version: feed.version }, 'the installer was started');
    isLeaving = true;
    return true;
  }

  return {
    view,
    onChange: (listener) => listeners.add(listener),
    check: () => once(() => look({ isWanted: false })),
    async download() {
      await once(() => look({ isWanted: true }));
    },
    async install() {
      await once(async () => {
        // It may have been withdrawn, or there may be a newer one, which is then offered instead.
        const wanted = ready;
        await look({ isWanted: true });
        if (ready && ready.version === wanted?.version && (await start(true))) options.leave();
        return true;
      });
    },
    async installAtQuit() {
      const isRefused = state.kind === 'ready' && state.held !== null && isNotTriedAgain(state.held);
      if (!ready || isRefused || ready.version === failedVersion() || isLeaving) return;
      if (endsTunnel && isTunnelOfAnybody(options.tunnel())) return;
      await start(false);
    },
    close: () => closing.abort(),
  };
}

/** Whether nothing would be different unless somebody does something about it. */
const isNotTriedAgain = (held: UpdateHeld): boolean =>
  held === 'not-started' || held === 'not-writable' || held === 'not-replaced';

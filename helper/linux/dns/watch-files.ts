import { realpathSync, watch, type FSWatcher } from 'node:fs';
import path from 'node:path';

/** Writers truncate a file first, or make several changes; intermediate states do not matter. */
const settleMs = 100;
const maxSettleMs = 400;

/**
 * Calls back after one of these files or directories may have changed: written, replaced, removed or, for a symbolic
 * link, pointed elsewhere. A file that does not exist is watched through its directory, if that exists. Returns a
 * function that ends the watch.
 */
export function watchFiles(files: readonly string[], onChange: () => void): () => void {
  let watchers: FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;
  let firstEvent: number | undefined;

  function noteEvent(): void {
    firstEvent ??= performance.now();
    const waited = performance.now() - firstEvent;
    clearTimeout(timer);
    timer = setTimeout(settled, Math.min(settleMs, Math.max(0, maxSettleMs - waited)));
  }

  /** inotify(7) watches inodes: a replaced file has to be watched again, before it is checked. */
  function settled(): void {
    firstEvent = undefined;
    start();
    onChange();
  }

  function start(): void {
    stop();
    watchers = files.flatMap(watchedPlaces).flatMap(({ place, name }) => watchPlace(place, name) ?? []);
  }

  function watchPlace(place: string, name: string | undefined): FSWatcher | undefined {
    try {
      const watcher = watch(place, { persistent: false }, (_event, changed) => {
        if (name === undefined || changed === null || changed === name) noteEvent();
      });
      watcher.on('error', noteEvent);
      return watcher;
    } catch {
      return undefined;
    }
  }

  function stop(): void {
    for (const watcher of watchers) watcher.close();
    watchers = [];
  }

  start();
  return () => {
    clearTimeout(timer);
    stop();
  };
}

/**
 * The file itself, because it can be a mount whose directory does not report changes, and its name in its directory
 * and, through links, in its real directory.
 */
function watchedPlaces(file: string): { place: string; name: string | undefined }[] {
  const targets = new Set([file, targetOf(file)]);
  return [
    { place: file, name: undefined },
    ...[...targets].map((target) => ({ place: path.dirname(target), name: path.basename(target) })),
  ];
}

function targetOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

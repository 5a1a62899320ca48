import { realpathSync, watch, type FSWatcher } from 'node:fs';
import path from 'node:path';

/** Whoever writes a file empties it first, or makes several changes: what is between them is nothing to look at. */
const settleMs = 100;
const maxSettleMs = 400;

/**
 * Calls back after somebody may have changed one of these files or directories: written, replaced, removed, or, where
 * it is a symbolic link, pointed elsewhere. What is not there is watched by the directory that it would be in, if that
 * is. Returns what ends the watch.
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

  /** inotify(7) watches inodes: what has been replaced is to be watched in its new shape, and from before the look. */
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
 * The file itself, since it can be a mount that no directory knows of, and its name where it is and, through links,
 * where it is really.
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

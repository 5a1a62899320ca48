import childProcess from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import files, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import koffi from 'koffi';
import { leftFile, momentsFile } from './death-files.ts';

/**
 * Preloaded into a helper, which is then killed at a moment of one of its changes: right before or right after a file
 * of its journal is put in place or removed; and where DEATH_MOMENTS is `all`, also before, after, and where that can
 * be, in the middle of a change of the system. The file `left` in the directory DEATH_PLAN says how many moments there
 * are until then, 0 for never; those that have passed are in `moments`.
 */
const directory = process.env['DEATH_PLAN'];
const isAll = process.env['DEATH_MOMENTS'] === 'all';
const journal = /^(journal|routing-[0-9a-f]{64})\.json$/;

function pass(moment: string): void {
  if (directory === undefined) return;
  const left = Number(readFileSync(path.join(directory, leftFile), 'utf8'));
  if (left === 0) return;
  appendFileSync(path.join(directory, momentsFile), `${moment}\n`);
  writeFileSync(path.join(directory, leftFile), String(left - 1));
  if (left === 1) process.kill(process.pid, 'SIGKILL');
}

function passJournal(when: 'before' | 'after', what: 'written' | 'removed', file: unknown): void {
  const [, name] = journal.exec(path.basename(String(file))) ?? [];
  if (name !== undefined) pass(`${when} ${name.split('-')[0]} is ${what}`);
}

const { rename, rm } = files;
files.rename = async (from, to) => {
  passJournal('before', 'written', to);
  await rename(from, to);
  passJournal('after', 'written', to);
};
files.rm = async (file, options) => {
  passJournal('before', 'removed', file);
  await rm(file, options);
  passJournal('after', 'removed', file);
};

/** Calls it in between two moments. */
const between = <Call extends (...args: never[]) => unknown>(call: Call, what: string): Call =>
  new Proxy(call, {
    apply(target, self, args: never[]) {
      pass(`before ${what}`);
      const result: unknown = Reflect.apply(target, self, args);
      if (result instanceof Promise) return result.finally(() => pass(`after ${what}`));
      pass(`after ${what}`);
      return result;
    },
  });

/** The last argument is called back with what has become of it. */
const betweenCallback = <Call extends (...args: never[]) => unknown>(call: Call, what: string): Call =>
  new Proxy(call, {
    apply(target, self, args: unknown[]) {
      const callback = args.at(-1);
      if (typeof callback !== 'function') return Reflect.apply(target, self, args as never[]);
      pass(`before ${what}`);
      const passOn = (...results: unknown[]) => {
        pass(`after ${what}`);
        Reflect.apply(callback, undefined, results);
      };
      const result: unknown = Reflect.apply(target, self, [...args.slice(0, -1), passOn] as never[]);
      setImmediate(() => pass(`during ${what}`));
      return result;
    },
  });

/** Where prefixes are captured, their sets are made before the rules that ask them, and block nothing by themselves. */
const filterChange = (script: string) =>
  /^add set /m.test(script) ? 'a set of the filter is made' : 'the filter is set';

if (isAll) {
  const handle = await files.open('/dev/null');
  const handles = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  // The journal's files are written by others of their methods.
  const methods = { write: 'resolv.conf is written', truncate: 'resolv.conf is cut' };
  for (const [name, what] of Object.entries(methods)) {
    const method = Reflect.get(handles, name) as (...args: never[]) => unknown;
    Reflect.set(handles, name, between(method, what));
  }

  const { execFile } = childProcess;
  childProcess.execFile = new Proxy(execFile, {
    apply(target, self, args: unknown[]) {
      const isChange = Array.isArray(args[1]) && args[1].some((word) => word === '-batch');
      const call = isChange ? betweenCallback(target, 'ip changes the network') : target;
      return Reflect.apply(call, self, args as never[]) as unknown;
    },
  });

  const { load } = koffi;
  /** bpf(2)'s, BPF_PROG_ATTACH and BPF_PROG_DETACH. */
  const changes: readonly unknown[] = [8, 9];
  type Call = (...args: never[]) => unknown;
  const watched = (declaration: unknown, call: Call & { async: Call }): unknown => {
    if (String(declaration).includes('nft_run_cmd_from_buffer'))
      call.async = new Proxy(call.async, {
        apply(target, self, args: unknown[]) {
          const script = String(args[1]);
          const run = script.startsWith('list ') ? target : betweenCallback(target, filterChange(script));
          return Reflect.apply(run, self, args as never[]);
        },
      });
    if (!String(declaration).includes('int, void *, unsigned int')) return call;
    return new Proxy(call, {
      apply(target, self, args: unknown[]) {
        const isChange = changes.includes(args[1]);
        if (!isChange) return Reflect.apply(target, self, args as never[]);
        pass('before a program is attached');
        const result = Reflect.apply(target, self, args as never[]);
        const errno = koffi.errno();
        pass('after a program is attached');
        koffi.errno(errno);
        return result;
      },
    });
  };
  koffi.load = new Proxy(load, {
    apply(target, self, args: Parameters<typeof load>) {
      const library = Reflect.apply(target, self, args);
      return new Proxy(library, {
        get(whole, name) {
          const value = Reflect.get(whole, name) as unknown;
          if (name !== 'func' || typeof value !== 'function') return value;
          return (...declaration: unknown[]) =>
            watched(declaration[0], Reflect.apply(value, whole, declaration));
        },
      });
    },
  });
}
// For whoever imports them by name (Node.js documentation, module.syncBuiltinESMExports).
syncBuiltinESMExports();

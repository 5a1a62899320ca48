import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { Client, Pool } from 'pg';
import type { TestProject } from 'vitest/node';
import { makeOwnedDirectory } from '../lab/runs/owned-directory.ts';
import { fillEmptyDatabase } from './empty-database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Directory of the Unix socket of a PostgreSQL server that belongs to this test run. */
    postgresqlSocket: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { socket, stop } = await startServiceDatabases();
  project.provide('postgresqlSocket', socket);
  return stop;
}

/** Of a test run's server: a database with a service's tables and nothing in them, to be copied. */
export const emptyServiceDatabase = 'empty_service';

/** A server with that database, which takes a fraction of thirty migrations and the job queue's tables to copy. */
export async function startServiceDatabases(): Promise<PostgresqlServer> {
  const server = await startPostgresql();
  const url = await createDatabase(server.socket, emptyServiceDatabase);
  await fillEmptyDatabase({ kind: 'postgresql', url, connections: 1, timeoutMs: 60_000 });
  return server;
}

/** Nothing here outlives the machine, and no table grows so large that it wants vacuuming. */
const settings = [
  'listen_addresses=',
  'max_connections=200',
  'fsync=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  // It would look after each of a hundred databases in turn.
  'autovacuum=off',
  'jit=off',
];

export interface PostgresqlServer {
  /** The directory of its Unix socket. */
  socket: string;
  /** As `pg_ctl restart -m fast`, which ends all sessions, or `-m immediate`, which is a crash. */
  restart: (mode: 'fast' | 'immediate') => Promise<void>;
  stop: () => Promise<void>;
}

/**
 * Starts a PostgreSQL server, in a directory of its own, on a Unix socket only. The server refuses to run as root
 * (initdb(1)), so that it runs as Debian's user `postgres` then.
 */
export async function startPostgresql(): Promise<PostgresqlServer> {
  const programs = programDirectory();
  const identity = unprivilegedUser();
  const directory = makeOwnedDirectory('postgresql');
  if (identity) chownSync(directory, identity.uid, identity.gid);
  const data = path.join(directory, 'data');
  const initdb = ['-D', data, '-U', 'waymaker', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '-N'];
  execFileSync(path.join(programs, 'initdb'), initdb, { ...identity, stdio: 'ignore' });
  const start = async () => {
    const command = [path.join(programs, 'postgres'), '-D', data, '-k', directory];
    // It ends with this process, also if that is killed: by SIGQUIT, at once (postgres(1)).
    const started = spawn(
      'setpriv',
      ['--pdeathsig', 'QUIT', '--', ...command, ...settings.flatMap((setting) => ['-c', setting])],
      { ...identity, stdio: 'ignore' },
    );
    await answering(started, directory);
    return started;
  };
  let server = await start();
  // postgres(1), "Notes".
  const end = async (signal: 'SIGINT' | 'SIGQUIT') => {
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  };
  return {
    socket: directory,
    async restart(mode) {
      await end(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
      server = await start();
    },
    async stop() {
      await end('SIGINT');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** By socket, one connection to each server: starting one takes a tenth of a second of the processor's time. */
const makers = new Map<string, Pool>();

function makerOf(socket: string): Pool {
  const known = makers.get(socket);
  if (known) return known;
  const address = { host: socket, user: 'waymaker', database: 'postgres' };
  const maker = new Pool({ ...address, max: 1, idleTimeoutMillis: 5 * 60_000, allowExitOnIdle: true });
  // The server was stopped or restarted; the next database gets a new connection.
  maker.on('error', () => undefined);
  makers.set(socket, maker);
  return maker;
}

/** A new database of a server, with nothing in it unless it is a copy; its address. */
export async function createDatabase(socket: string, name: string, copyOf?: string): Promise<string> {
  const copy = copyOf === undefined ? '' : ` template ${copyOf} strategy file_copy`;
  await makerOf(socket).query(`create database ${name}${copy}`);
  return `postgresql://waymaker@localhost/${name}?host=${encodeURIComponent(socket)}`;
}

/** Where the programs of the newest PostgreSQL are. */
export function programDirectory(): string {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian) : [];
  const found = versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => path.join(debian, version, 'bin'))
    .find((directory) => existsSync(path.join(directory, 'initdb')));
  if (!found) throw new Error('these tests need PostgreSQL: apt-get install postgresql');
  return found;
}

function unprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

async function answering(server: ReturnType<typeof spawn>, directory: string): Promise<void> {
  for (;;) {
    if (server.exitCode !== null) throw new Error(`postgres ended with code ${server.exitCode}`);
    const client = new Client({ host: directory, user: 'waymaker', database: 'postgres' });
    try {
      await client.connect();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    } finally {
      await client.end();
    }
  }
}

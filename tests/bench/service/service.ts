import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { Client } from 'pg';
import { createService } from '../../../src/service/service.ts';
import { readConfig } from '../../../src/service/config.ts';
import { createDatabase, startPostgresql } from '../../service/postgresql-server.ts';
import { startProgram } from '../../service/service-process.ts';
import { byTurns, row, type Row } from '../row.ts';
import { startMailSink } from './mail-sink.ts';
import { deviceIdOf, emailOf, populate, tokenOf } from './population.ts';

export const serviceRows = [
  'service-read',
  'service-read-growth',
  'service-sign-in',
  'service-sign-in-growth',
] as const;

const users = { few: 1_000, many: 100_000 };
const connections = '10';
const clients = 16;
const rounds = 15;
const secondsARound = 1;

/** One request of a client, or a few that belong together. */
type Work = () => Promise<void>;

/**
 * The running service, with gateways' password file, on PostgreSQL. Peers of the rows are a bare Fastify and
 * node-postgres with as many connections (service/bare-peer.ts), and of growth the service itself with fewer users.
 */
export async function* measureService(isWanted: (row: string) => boolean): AsyncGenerator<Row> {
  await using closing = new AsyncDisposableStack();
  const directory = await mkdtemp(path.join(tmpdir(), 'waymaker-bench-'));
  closing.defer(() => rm(directory, { recursive: true }));
  const postgresql = await startPostgresql();
  closing.defer(postgresql.stop);
  const mail = await startMailSink();
  closing.defer(mail.close);

  const environmentOf = async (name: keyof typeof users): Promise<NodeJS.ProcessEnv> => {
    const environment = {
      DATABASE_URL: await createDatabase(postgresql.socket, name),
      WAYMAKER_DATABASE_CONNECTIONS: connections,
      WAYMAKER_DATA_DIR: path.join(directory, name),
      WAYMAKER_GATEWAY_PASSWORD_FILE: path.join(directory, name, 'passwords'),
      WAYMAKER_CONSOLE_DIR: path.join(directory, 'no-console'),
      WAYMAKER_SERVICE_PORT: '0',
      WAYMAKER_LIMIT_FACTOR: '100000',
      WAYMAKER_LOG_LEVEL: 'error',
      SMTP_URL: mail.url,
      MAIL_FROM: 'bench@example.net',
    };
    // It makes the tables.
    await (await createService({ config: readConfig(environment), doesJobs: false })).close();
    const client = new Client({ connectionString: environment.DATABASE_URL });
    await client.connect();
    await populate(client, users[name]);
    await client.end();
    return environment;
  };
  const start = async (program: string, environment: NodeJS.ProcessEnv): Promise<string> =>
    closing.use(await startProgram(program, environment)).url;
  const [few, many] = [await environmentOf('few'), await environmentOf('many')];
  const [fewUrl, manyUrl] = [await start('index.ts', few), await start('index.ts', many)];
  const peerUrl = await start('../../tests/bench/service/bare-peer.ts', many);

  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  closing.defer(async () => agent.destroy());
  let last = 0;
  /** Not next to each other, and no two at once the same. */
  const anyUser = (name: keyof typeof users) => 1 + (((last += 1) * 7919) % users[name]);

  const readAt = (url: string, name: keyof typeof users): Work => {
    return async () => {
      const n = anyUser(name);
      const authorization = `Basic ${btoa(`${deviceIdOf(n)}:${tokenOf(n)}`)}`;
      await ask(agent, 'GET', `${url}/api/user-info`, { headers: { authorization } });
    };
  };
  const signInAt = (url: string, name: keyof typeof users): Work => {
    return async () => {
      const sender = { deviceId: randomUUID(), deviceName: 'Bench' };
      const email = emailOf(anyUser(name));
      const { authId } = await ask(agent, 'POST', `${url}/api/get-auth-code`, {
        body: { ...sender, email },
      });
      const body = { ...sender, authId, authCode: mail.takeCode(email), isDevice: true };
      await ask(agent, 'POST', `${url}/api/auth`, { body });
    };
  };
  const peerRead: Work = async () => {
    await ask(agent, 'GET', `${peerUrl}/read?device=${deviceIdOf(anyUser('many'))}`);
  };
  const peerSignIn: Work = async () => {
    const body = { deviceId: randomUUID(), email: emailOf(anyUser('many')) };
    const { authId } = await ask(agent, 'POST', `${peerUrl}/code`, { body });
    await ask(agent, 'POST', `${peerUrl}/sign-in`, { body: { ...body, authId } });
  };

  const kinds = [
    { name: 'service-read', at: readAt, peer: peerRead },
    { name: 'service-sign-in', at: signInAt, peer: peerSignIn },
  ];
  for (const { name, at, peer } of kinds) {
    if (!isWanted(name)) continue;
    const [small, large] = [at(fewUrl, 'few'), at(manyUrl, 'many')];
    // The first warms up.
    for (const work of [small, large, peer]) await perSecond(work);
    const samples = await byTurns(rounds, {
      small: () => perSecond(small),
      large: () => perSecond(large),
      peer: () => perSecond(peer),
    });
    const time = (rates: readonly number[]) => rates.map((rate) => 1000 / rate);
    yield row(name, { ours: samples.large, peer: samples.peer }, { unit: '1/s', better: 'higher' });
    const growth = { ours: time(samples.large), peer: time(samples.small) };
    yield row(`${name}-growth`, growth, { unit: 'ms', better: 'lower' });
  }
}

/** How often a second, when as many clients do it side by side. */
async function perSecond(work: Work): Promise<number> {
  const start = performance.now();
  const end = start + 1000 * secondsARound;
  let count = 0;
  const client = async () => {
    while (performance.now() < end) {
      await work();
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return (1000 * count) / (performance.now() - start);
}

/** The data of a reply of the service, or of one that looks like that. */
async function ask(
  agent: Agent,
  method: string,
  url: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: object } = {},
): Promise<Record<string, string>> {
  const sent = request(url, {
    agent,
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
  });
  sent.end(body && JSON.stringify(body));
  const { promise, resolve, reject } = Promise.withResolvers<NodeJS.ReadableStream>();
  sent.on('response', resolve).on('error', reject);
  const reply = (await json(await promise)) as { code: number; msg: string; data: Record<string, string> };
  if (reply.code !== 0) throw new Error(`${url}: ${reply.code} ${reply.msg}`);
  return reply.data;
}

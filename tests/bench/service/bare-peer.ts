import { randomUUID } from 'node:crypto';
import fastify from 'fastify';
import { createTransport } from 'nodemailer';
import { Pool, type PoolClient } from 'pg';

/**
 * What the service is measured against: a process with a bare Fastify and node-postgres, with as many connections, on
 * a database of the same content. `GET /read` is one SELECT by primary key. `POST /code` and `POST /sign-in` send the
 * statements that the service sends for a sign-in, of the same kinds, as many, in as many transactions, and the mail
 * by the same nodemailer; they check nothing, hash nothing and know no gateways.
 */
const pool = new Pool({
  connectionString: process.env['DATABASE_URL'],
  max: Number(process.env['WAYMAKER_DATABASE_CONNECTIONS']),
});
const transport = createTransport({ url: process.env['SMTP_URL'] ?? '', pool: true });
const app = fastify();

app.get<{ Querystring: { device: string } }>('/read', async ({ query }) => {
  const { rows } = await pool.query('select * from devices where device_id = $1', [query.device]);
  return { code: 0, msg: '', data: rows[0] };
});

interface SignIn {
  email: string;
  deviceId: string;
}

const takeFromBucket = (key: string) =>
  pool.query(
    `insert into rate_limits (key, full_at) values ($1, 1) on conflict (key) do update set full_at = rate_limits.full_at + 1`,
    [key],
  );
const lock = (on: PoolClient, text: string) =>
  on.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [text]);

async function transaction(work: (client: PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  await client.query('begin');
  await work(client);
  await client.query('commit');
  client.release();
}

app.post<{ Body: SignIn }>('/code', async ({ body: { email, deviceId } }) => {
  const authId = randomUUID();
  await pool.query('select * from devices join users on users.id = user_id where device_id = $1', [deviceId]);
  await takeFromBucket(email);
  await pool.query(`delete from auth_codes where created_at < now() - interval '1 hour'`);
  await transaction(async (client) => {
    await lock(client, email);
    await client.query('select * from auth_codes where email = $1 and device_id = $2', [email, deviceId]);
    await client.query('update auth_codes set expires_at = now() where email = $1 and device_id = $2', [
      email,
      deviceId,
    ]);
    await client.query(
      `insert into auth_codes (auth_id, email, device_id, code_hash, created_at, expires_at)
        values ($1, $2, $3, 'x', now(), now() + interval '10 minutes')`,
      [authId, email, deviceId],
    );
  });
  const code = '123456';
  const subject = 'Your code';
  const text = `Your code:\n\n${code}\n`;
  const html = `<p>Your code:</p><p>${code}</p>`;
  await transport.sendMail({ from: 'bench@example.net', to: email, subject, text, html });
  return { code: 0, msg: '', data: { authId } };
});

app.post<{ Body: SignIn & { authId: string } }>('/sign-in', async ({ body: { email, deviceId, authId } }) => {
  const codeById = 'select * from auth_codes where auth_id = $1';
  await pool.query(codeById, [authId]);
  await takeFromBucket(deviceId);
  await pool.query('update auth_codes set tries = tries + 1 where auth_id = $1', [authId]);
  await takeFromBucket(deviceId);
  await transaction(async (client) => {
    await client.query('update auth_codes set used_at = now() where auth_id = $1', [authId]);
    const { rows } = await client.query('select * from users where email = $1', [email]);
    await lock(client, deviceId);
    await client.query('select count(*) from devices where gateway_user = $1', [deviceId]);
    await client.query(
      `insert into devices (device_id, user_id, name, token_hash, gateway_user, created_at, last_seen_at)
        values ($1, $2, 'Bench', 'x', $1, now(), now()) on conflict do nothing`,
      [deviceId, rows[0].id],
    );
    // Nobody listens there.
    await client.query(`select pg_notify('bench', $1)`, [rows[0].id]);
    await client.query(
      'select * from users left join entitlements on user_id = users.id where users.id = $1',
      [rows[0].id],
    );
  });
  await takeFromBucket(email);
  return { code: 0, msg: '', data: { token: authId } };
});

console.log(await app.listen({ host: '127.0.0.1', port: 0 }));

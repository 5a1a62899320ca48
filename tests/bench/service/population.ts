import type { Client } from 'pg';

const devicesPerUser = 3;

/** What user `n` (from 1) of a population signs in with. */
export const emailOf = (n: number): string => `user-${n}@example.com`;
export const tokenOf = (n: number): string => `token-${n}`;
/** The first of the user's devices. */
export const deviceIdOf = (n: number): string =>
  `00000000-0000-4000-8000-${(n * devicesPerUser).toString(16).padStart(12, '0')}`;

/**
 * Fills an empty database of the service with users as real ones are: each with three devices that gateways know, nine
 * in ten with an order that gave them a plan, the others on trial, one in fifty a member of another's plan.
 */
export async function populate(client: Client, users: number): Promise<void> {
  const deviceId = `('00000000-0000-4000-8000-' || lpad(to_hex(n * ${devicesPerUser} + d), 12, '0'))`;
  const userId = `('00000000-0000-4000-9000-' || lpad(to_hex(n), 12, '0'))::uuid`;
  const hash = `'$5$' || substr(md5(n::text), 1, 16) || '$' || substr(md5(d::text || n) || md5(n::text || d), 1, 43)`;
  await client.query(
    `
    begin;
    insert into users (id, email, level, first_order_done, trial_expired_at, created_at)
      select ${userId}, 'user-' || n || '@example.com', case when n % 10 = 0 then 1 else 2 end, n % 10 <> 0,
        now() + interval '30 days', now() from generate_series(1, ${users}) n;
    update users u set payer_id = p.id, level = 3 from users p
      where split_part(split_part(u.email, '@', 1), '-', 2)::int % 50 = 0
        and p.email = 'user-' || split_part(split_part(u.email, '@', 1), '-', 2)::int - 1 || '@example.com';
    insert into devices (device_id, user_id, name, token_hash, gateway_user, created_at, last_seen_at)
      select ${deviceId}, ${userId}, 'Laptop',
        encode(sha256(('token-' || n)::bytea), 'hex'), ${deviceId}, now(), now() + interval '1 hour'
      from generate_series(1, ${users}) n, generate_series(0, ${devicesPerUser - 1}) d;
    insert into gateway_passwords (gateway_user, place, hash)
      select ${deviceId}, '', ${hash} from generate_series(1, ${users}) n, generate_series(0, ${devicesPerUser - 1}) d;
    insert into traffic (user_id) select id from users;
    insert into orders (email, title, service, days, seats, price, quantity, total_amount, created_at, paid_at)
      select email, 'Family', 'Family', 365, 5, 5000, 1, 5000, now(), now() from users where first_order_done;
    insert into grants (user_id, source, service, seats, rate, duration_ms, members, granted_at)
      select u.id, 'order:' || o.uuid, 'Family', 5, 5, 31536000000, 0, now()
      from users u join orders o on o.email = u.email;
    insert into entitlements (user_id, "from", "to", service, seats, rate, sources)
      select user_id, granted_at, granted_at + interval '365 days', service, seats, rate, jsonb_build_array(source)
      from grants;
    insert into auth_codes (auth_id, email, device_id, code_hash, created_at, expires_at, used_at)
      select gen_random_uuid(), email, 'x', 'x', now(), now() + interval '10 minutes', now() from users
      limit ${Math.ceil(users / 100)};
    commit;
    vacuum analyze`.replace('vacuum analyze', ''),
  );
  await client.query('vacuum analyze');
}

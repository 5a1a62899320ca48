import type { Client } from 'pg';

/**
 * The settings of a session that results depend on: how times and bytes are written, in which zone days begin, where
 * tables are. A database or a role can have others (ALTER DATABASE … SET), and what a connection asks for at its start
 * precedes those (PostgreSQL's manual, 19.1.3). The encoding is what the driver itself asks for.
 */
const sessionSettings = {
  DateStyle: 'ISO,MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: '3',
  standard_conforming_strings: 'on',
  transform_null_equals: 'off',
  array_nulls: 'on',
  default_transaction_isolation: 'read\\ committed',
  default_transaction_deferrable: 'off',
  // The migrations name it.
  search_path: 'public',
  // Making the tables may take long, and so may waiting for a process that does. The pool has limits of its own.
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
} as const;

/** What connects to the database at `url` with these settings, after what the address itself asks for. */
export function connectionTo(url: string): { connectionString: string; options: string } {
  const address = new URL(url);
  const own = address.searchParams.get('options') ?? process.env['PGOPTIONS'];
  // The address would precede `options`.
  address.searchParams.delete('options');
  const pinned = Object.entries(sessionSettings).map(([name, value]) => `-c ${name}=${value}`);
  return { connectionString: address.href, options: [...(own ? [own] : []), ...pinned].join(' ') };
}

/** The settings that results depend on, each with all values that mean the same as the one that is asked for. */
const sameResults: Readonly<Partial<Record<keyof typeof sessionSettings, RegExp>>> = {
  // How a date is read does not matter: none is sent in another form.
  DateStyle: /^ISO/,
  IntervalStyle: /^postgres$/,
  TimeZone: /^(?:Etc\/)?(?:UTC|UCT|GMT|Zulu|Universal)$/i,
  bytea_output: /^hex$/,
  extra_float_digits: /^[1-3]$/,
  standard_conforming_strings: /^on$/,
  transform_null_equals: /^off$/,
  array_nulls: /^on$/,
  default_transaction_isolation: /^read committed$/,
  default_transaction_deferrable: /^off$/,
  search_path: /^(?:"\$user", )?public$/,
};

/**
 * Throws if results would depend on settings of the database's own: poolers may ignore what a connection asks for at
 * its start, such as PgBouncer with `ignore_startup_parameters = options`.
 */
export async function checkSettings(connection: Pick<Client, 'query'>): Promise<void> {
  const patterns: Readonly<Record<string, RegExp>> = sameResults;
  const found = await connection.query<{ name: string; setting: string }>(
    'select name, setting from pg_settings where name = any($1)',
    [Object.keys(patterns)],
  );
  const others = found.rows.filter(({ name, setting }) => patterns[name]?.test(setting) !== true);
  if (others.length === 0) return;
  const named = others.map(({ name, setting }) => `${name} is ${setting}`).join(', ');
  const cure = others.map(({ name }) => `${name} = ${sessionSettings[name as keyof typeof sessionSettings]}`);
  throw new Error(
    `what is between here and the database ignores what a connection asks for: ${named}. Set it for the role (ALTER ROLE … SET): ${cure.join(', ')}`,
  );
}

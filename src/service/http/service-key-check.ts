import { lockFor, type Database } from '../database/database.ts';
import { serviceKeyChecks } from '../database/schema/gateways.ts';
import type { KeyedHash } from './keyed-hash.ts';

/**
 * Rejects if this process has another key than the one that the service's data was stored with: it would recognise
 * nothing, and hand out passwords that no gateway accepts. The first process on a database records its key.
 */
export async function checkServiceKey(database: Database, hash: KeyedHash): Promise<void> {
  const own = hash('key check', '');
  await database.transaction(async (transaction) => {
    await lockFor(transaction, 'serviceKey');
    const [known] = await transaction.select().from(serviceKeyChecks);
    if (!known) await transaction.insert(serviceKeyChecks).values({ hash: own });
    else if (known.hash !== own) throw new Error(anotherKey);
  });
}

const anotherKey = 'not the key that this database was used with: all processes of a service need the same';

/** Whether this database's data was stored with a key. */
export async function hasServiceKey(database: Database): Promise<boolean> {
  return (await database.select().from(serviceKeyChecks).limit(1)).length > 0;
}

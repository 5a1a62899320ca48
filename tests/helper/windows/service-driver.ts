import { findSupervisor } from '../../../helper/windows/service/service.ts';

/**
 * Run under wine: `node service-driver.mjs LIBRARY`, as a service whose service control manager is a double. Prints a
 * line when the helper would renew its tunnel, and when it would end.
 */
const [library = ''] = process.argv.slice(2);
const supervisor = await findSupervisor({ stateDirectory: 'C:\\state', runAs: 'service', library });
supervisor.onWoken(() => console.log('woken'));
supervisor.ready();
await supervisor.told;
console.log('told');
supervisor.end(0);

import { readFileSync } from 'node:fs';

/**
 * Preloaded into a helper: its wall clock is as far from the machine's as the file CLOCK_OFFSET says, in milliseconds.
 * A machine's clock is that of all its network namespaces, and of whoever works on it.
 */
const file = process.env['CLOCK_OFFSET'];
const trueNow = Date.now.bind(Date);
// Programs that the helper starts have its environment, or none.
if (file !== undefined) Date.now = () => trueNow() + Number(readFileSync(file, 'utf8'));

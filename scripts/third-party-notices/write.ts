import { writeFile } from 'node:fs/promises';
import { noticesFile, thirdPartyNotices } from './notices.ts';

/** Updates THIRD-PARTY-NOTICES to the packages that the app contains. */
await writeFile(noticesFile, await thirdPartyNotices());

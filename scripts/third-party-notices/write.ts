import { writeFile } from 'node:fs/promises';
import { noticesFile, thirdPartyNotices } from './notices.ts';

/** Brings THIRD-PARTY-NOTICES up to date with the packages that the app has in it. */
await writeFile(noticesFile, await thirdPartyNotices());

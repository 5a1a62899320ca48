import { writeFileSync } from 'node:fs';
import packageJson from '../../package.json' with { type: 'json' };
import { manPage, manPageFile } from './man-page.ts';

writeFileSync(manPageFile, manPage(packageJson.version));

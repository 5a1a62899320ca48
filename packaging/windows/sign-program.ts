import { authenticodeWords, signProgram } from './authenticode.ts';

/** Signs the program that is named, as makensis wants it done to the uninstaller before it packs that. */
const [file] = process.argv.slice(2);
const words = authenticodeWords(process.env);
if (file === undefined || words === undefined)
  throw new Error('usage: WAYMAKER_AUTHENTICODE=WORDS sign-program.ts FILE');
await signProgram(file, words);

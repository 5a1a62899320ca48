/** Loaded before the main file of an app: when its first line is about to run, in milliseconds since the Unix epoch. */
process.stdout.write(`main starts at ${Date.now()}\n`);

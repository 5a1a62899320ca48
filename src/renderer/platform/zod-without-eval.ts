import { config } from 'zod/mini';

// zod probes whether it may compile code; with our Content-Security-Policy, that probe is a reported violation. Schemas
// read this setting when they are created, so this module has to be imported first.
config({ jitless: true });

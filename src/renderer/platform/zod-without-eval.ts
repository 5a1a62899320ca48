import { config } from 'zod/mini';

// zod probes whether it may compile code; under our Content-Security-Policy that probe is a reported violation.
// Schemas look at this when they are made, so this module has to be the first one imported.
config({ jitless: true });

/**
 * The environment variable that says what our own engine's data path leaves out, for a machine on which something of it
 * does not work (helper/engine/own/data-path/limits.ts).
 */
export const dataPathVariable = 'WAYMAKER_DATA_PATH';

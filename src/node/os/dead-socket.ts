import { lstat, rm } from 'node:fs/promises';
import { connect } from 'node:net';

/** Removes a listening Unix socket that a killed process left; leaves anything else alone. */
export async function removeDeadSocket(socketPath: string): Promise<void> {
  const found = await lstat(socketPath).catch(() => undefined);
  if (found?.isSocket() && !(await isAnswered(socketPath))) await rm(socketPath);
}

function isAnswered(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socketPath);
    connection.once('connect', () => {
      connection.destroy();
      resolve(true);
    });
    connection.once('error', () => resolve(false));
  });
}

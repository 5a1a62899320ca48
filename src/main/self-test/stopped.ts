import type { Obstacle } from './messages.ts';

/** Why a self-test cannot go on. */
export class Stopped extends Error {
  override name = 'Stopped';
  readonly obstacle: Obstacle;

  constructor(obstacle: Obstacle, detail: string) {
    super(detail);
    this.obstacle = obstacle;
  }
}

/** Runs what may fail for a known reason only. */
export async function orStop<Value>(
  obstacle: Obstacle,
  action: () => Value | Promise<Value>,
): Promise<Value> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof Stopped) throw error;
    throw new Stopped(obstacle, error instanceof Error ? error.message : String(error));
  }
}

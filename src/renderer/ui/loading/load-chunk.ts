import { callTimeoutSeconds } from '#shared/constants.ts';
import { afterRunning } from '../../platform/after-running.ts';

const pauseMs = 1000;

/** Loads a part of the app on demand. Retries after a failure, and gives up after a call's timeout. Then rejects. */
export async function loadChunk<Chunk>(load: () => Promise<Chunk>, tries = 3): Promise<Chunk> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await inTime(load());
    } catch (error) {
      if (failures === tries || error instanceof ChunkLate) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

class ChunkLate extends Error {
  override name = 'ChunkLate';
}

function inTime<Chunk>(loading: Promise<Chunk>): Promise<Chunk> {
  return new Promise((resolve, reject) => {
    const stopWaiting = afterRunning(callTimeoutSeconds, () =>
      reject(new ChunkLate(`not loaded within ${callTimeoutSeconds} s`)),
    );
    loading.then(resolve, reject).finally(stopWaiting);
  });
}

import { loadAllTexts } from './setup.ts';

/** Loads something together with all texts: for whatever says more than the first pages do. */
export const withAllTexts =
  <Chunk>(load: () => Promise<Chunk>) =>
  async (): Promise<Chunk> => {
    const [chunk] = await Promise.all([load(), loadAllTexts()]);
    return chunk;
  };

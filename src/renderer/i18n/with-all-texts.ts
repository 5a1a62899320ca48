import { loadAllTexts } from './setup.ts';

/** Loads something together with all texts, for everything that needs more than those of the first pages. */
export const withAllTexts =
  <Chunk>(load: () => Promise<Chunk>) =>
  async (): Promise<Chunk> => {
    const [chunk] = await Promise.all([load(), loadAllTexts()]);
    return chunk;
  };

/**
 * Preloaded into a helper: between attempts it waits for ten minutes and more (`helper/tunnel/reconnect-delay.ts` adds
 * a random share, and nothing else of the helper asks for chance). Whatever makes an attempt is not that a wait is over.
 */
Math.random = () => -15_000;

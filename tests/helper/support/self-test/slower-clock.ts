/**
 * Preloaded into a self-test: the clock by which it gives up goes so many times slower as SLOWER_CLOCK says. How long a
 * self-test takes at most is a promise to people, whose computer has nothing else to do; here, what it would not get to
 * is what is to be seen.
 */
const slower = Number(process.env['SLOWER_CLOCK'] ?? '1');
const now = performance.now.bind(performance);
performance.now = () => now() / slower;

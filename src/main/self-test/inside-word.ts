/** The argument with which this program runs the part inside; nobody types it. */
export const insideWord = 'self-test-inside';

/**
 * The longest delay of a timer, in milliseconds: a longer one fires at once, in Node
 * (https://nodejs.org/api/timers.html#settimeoutcallback-delay-args) as in browsers
 * (https://html.spec.whatwg.org/multipage/timers-and-user-prompts.html: `long`, 32 bits with a sign).
 */
export const maxTimerMs = 2 ** 31 - 1;

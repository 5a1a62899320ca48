import koffi from 'koffi';

/** Prints whether this process has a terminal of its own, and no window of it (CREATE_NO_WINDOW). */
const library = koffi.load('kernel32.dll');
const codePage = library.func('__stdcall', 'GetConsoleCP', 'uint32', []);
const window = library.func('__stdcall', 'GetConsoleWindow', 'intptr', []);
console.log(Number(codePage()) !== 0 && Number(window()) === 0);

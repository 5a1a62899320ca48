/**
 * Lets this process outlive whoever reads what it prints: a terminal that is closed (EIO), a pipe whose reader has
 * ended (EPIPE), a disk that is full (ENOSPC). What cannot be written is lost, and later lines are tried again: Node.js
 * never closes these two streams ("A note on process I/O"). For programs that run on; what a command prints is its
 * result.
 */
export function outliveOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

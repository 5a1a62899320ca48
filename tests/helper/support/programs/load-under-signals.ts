import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { loadProgram, unloadProgram } from '../../../../helper/linux/groups/bpf.ts';

/**
 * Loads a program into the kernel again and again, while a child sends this process a signal every millisecond or so.
 */

/** `r0 = 1; exit`: every socket may be created (struct bpf_insn in <linux/bpf.h>). */
const allow = Buffer.from('b7000000010000009500000000000000', 'hex');

const seen = { signals: 0 };
process.on('SIGUSR2', () => (seen.signals += 1));
// It ends after its last signal has been sent.
const send = `trap 'exit 0' TERM; while /bin/kill -USR2 ${process.pid}; do :; done`;
const sender = spawn('sh', ['-c', send], { stdio: 'ignore' });
try {
  for (let loaded = 0; loaded < 2000 || seen.signals < 20; loaded += 1) {
    unloadProgram(loadProgram('created', allow));
    // Signals are counted between tasks.
    if (loaded % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  console.log('all were loaded');
} finally {
  const ended = once(sender, 'exit');
  sender.kill('SIGTERM');
  await ended;
}

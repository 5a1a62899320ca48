import koffi from 'koffi';
import { createSerialQueue } from '#shared/serial-queue.ts';

/**
 * nft(8) as a library, libnftables(3), which comes with it. A change takes one millisecond instead of about twenty: no
 * program has to be started, and nothing waits until the kernel has freed what was replaced, as closing an nftables
 * socket does (Linux, net/netfilter/nf_tables_api.c, nft_rcv_nl_event). So there is one context, which is never closed.
 */

const library = 'libnftables.so.1';

/** NFT_CTX_OUTPUT_JSON and NFT_CTX_OUTPUT_TERSE of <nftables/libnftables.h>. */
const jsonFlag = 1 << 4;
const terseFlag = 1 << 11;

/** The error of nftables for a script that it refuses. */
export class NftablesError extends Error {
  override name = 'NftablesError';
}

type Context = ReturnType<typeof open>;
let context: Context | undefined;

/** Scripts run in a thread; a context runs one at a time. */
const enqueue = createSerialQueue();

/** Whether the library is installed. */
export function hasLibnftables(): boolean {
  try {
    context ??= open();
    return true;
  } catch {
    return false;
  }
}

/** Loads a script like `nft -f`: completely or not at all. Throws `NftablesError` if it is refused. */
export const loadRules = (script: string): Promise<void> =>
  enqueue(async () => {
    context ??= open();
    const { isAccepted, problem } = await context.execute(script, 0);
    if (!isAccepted) throw new NftablesError(problem.trim());
  });

/**
 * The output of `nft -j -t list table inet NAME`, which has no elements of sets; undefined if there is no such table.
 */
export const listTable = (name: string): Promise<string | undefined> =>
  enqueue(async () => {
    context ??= open();
    const { isAccepted, output } = await context.execute(`list table inet ${name}`, jsonFlag | terseFlag);
    return isAccepted ? output : undefined;
  });

function open() {
  const nftables = koffi.load(library);
  const pointer = nftables.func('void *nft_ctx_new(uint32_t)')(0);
  const setFlags = nftables.func('void nft_ctx_output_set_flags(void *, unsigned int)');
  const takeOutput = nftables.func('const char *nft_ctx_get_output_buffer(void *)');
  const takeProblem = nftables.func('const char *nft_ctx_get_error_buffer(void *)');
  const runScript = nftables.func('int nft_run_cmd_from_buffer(void *, const char *)');
  for (const stream of ['output', 'error']) nftables.func(`int nft_ctx_buffer_${stream}(void *)`)(pointer);

  return {
    execute: (script: string, flags: number) =>
      new Promise<{ isAccepted: boolean; output: string; problem: string }>((resolve, reject) => {
        setFlags(pointer, flags);
        runScript.async(pointer, script, (error: unknown, status: unknown) => {
          if (error) return reject(new NftablesError('the library cannot be called', { cause: error }));
          const [output, problem] = [takeOutput(pointer), takeProblem(pointer)].map(String);
          return resolve({ isAccepted: status === 0, output: output ?? '', problem: problem ?? '' });
        });
      }),
  };
}

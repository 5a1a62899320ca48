import { z } from 'zod';

/** pino's number for warnings (pino documentation, "Logger level"). */
const warning = 40;
const recordSchema = z.object({
  level: z.number(),
  msg: z.string(),
  err: z.object({ message: z.string() }).optional(),
});

/**
 * The lines of the app's output that concern whoever has started it: warnings and errors, each once and without its
 * stack, and everything that is not a log line. The app's log file has everything. Accepts output in any pieces.
 */
export function createAppLogLines(write: (line: string) => void): (output: string) => void {
  const written = new Set<string>();
  let rest = '';
  return (output) => {
    const lines = `${rest}${output}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const record = recordOf(line);
      if (record && record.level < warning) continue;
      const text = record
        ? `The app says: ${[record.msg, record.err?.message.split('\n', 1)[0]].filter(Boolean).join(': ')}`
        : line;
      if (record && written.has(text)) continue;
      written.add(text);
      write(text);
    }
  };
}

function recordOf(line: string): z.infer<typeof recordSchema> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return recordSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import type { UplinkWatch } from '../checks/uplink-watch.ts';
import { etherType, readPacket, type Frame } from '../packets/frame.ts';
import type { RawCapture } from './sockets.ts';

const lookMs = 20;
/** How long the last packet may take to be shown, in milliseconds: nothing can be sent to find out. */
const settleMs = 250;

/** What leaves by an address, as a raw socket shows it. `own`: addresses whose packets are this computer's. */
export function watchRaw(capture: RawCapture, own: () => ReadonlySet<string>): UplinkWatch {
  const seen: Frame[] = [];
  const take = () => {
    const mine = own();
    for (let bytes = capture.next(); bytes; bytes = capture.next()) {
      const packet = readPacket(bytes);
      if (!packet || !mine.has(packet.source) || mine.has(packet.destination)) continue;
      const type = packet.source.includes(':') ? etherType.ipv6 : etherType.ipv4;
      seen.push({ from: '', to: '', type, packet, content: bytes });
    }
  };
  const timer = setInterval(take, lookMs);
  return {
    async sent() {
      await delay(settleMs);
      take();
      return { frames: seen.splice(0), complete: true };
    },
    close() {
      clearInterval(timer);
      capture.close();
    },
  };
}

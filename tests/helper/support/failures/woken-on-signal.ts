import { linuxPlatform } from '../../../../helper/linux/linux-platform.ts';

/**
 * A helper that is told of a wake-up by SIGUSR2, as Windows' power events and the clock tell it elsewhere: machines of tests
 * do not sleep.
 */
const usual = { ...linuxPlatform };
linuxPlatform.findSupervisor = async (options) => ({
  ...(await usual.findSupervisor(options)),
  onWoken: (listener) => void process.on('SIGUSR2', listener),
});
await import('../../../../helper/index.ts');

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { eventually } from '../../../lab/runs/process.ts';
import { programFile } from '../../../lab/runs/programs.ts';
import {
  launchStandIn,
  playedEnvironment,
  registerSource,
  standInArguments,
} from '../../../stand-in/launch-stand-in.ts';
import { mailOf } from '../../../stand-in/electron/only-instance.ts';
import { PeerGone } from '../../../stand-in/channel/peer.ts';
import { chromiumIn } from '../machine/chromium-in.ts';
import { appEnvironment, type DesktopApp, type LaunchOptions } from './desktop-app.ts';
import { builtMain, root } from './paths.ts';
import { answerProbes } from '../tunnel/probe-pages.ts';

/** What a user chooses may end the app before it can answer. */
async function unlessGone(answer: Promise<void>): Promise<void> {
  try {
    await answer;
  } catch (error) {
    if (!(error instanceof PeerGone)) throw error;
  }
}

export async function launchInStandIn(options: LaunchOptions): Promise<DesktopApp> {
  await mkdir(options.userData, { recursive: true });
  let output = '';
  const env = appEnvironment(options);
  const { lab, browser, outputFile } = options;
  const main = options.main ?? programFile(path.relative(root, builtMain));
  const register = programFile(path.relative(root, registerSource));
  const running = await launchStandIn({
    main,
    register,
    userData: options.userData,
    env,
    ...(options.args && { args: options.args }),
    system: options.system,
    firstPath: options.firstPath,
    languages: options.languages ?? ['en-US'],
    dark: options.dark ?? false,
    viewport: { width: 1200, height: 800 },
    command(argv: string[]) {
      const inLab = lab ? lab.user.command(argv).flat() : argv;
      return outputFile === undefined ? inLab : ['sh', '-c', 'exec "$@" >"$0" 2>&1', outputFile, ...inLab];
    },
    ...(lab && !browser ? { chromiumExecutable: await chromiumIn(lab.user, options.userData) } : {}),
    ...(browser ? { browser } : {}),
    onOutput: (text) => (output += text),
  });
  const page = await eventually('the app shows its window', () => {
    if (running.process.exitCode !== null) throw new Error(`the app ended: ${output}`);
    return running.pages().find((candidate) => candidate.url().startsWith('https://'));
  });
  await answerProbes(page);
  return {
    host: 'stand-in',
    page,
    origin: new URL(page.url()).origin,
    windows: () => running.pages(),
    windowTitles: () => running.app.windowTitles(),
    output: () => output,
    externalLinks: async () => running.externalLinks,
    setDark: running.setDark,
    async startSecondInstance(link) {
      const argv = [
        ...standInArguments(main, options.userData, register),
        ...(link === undefined ? [] : [link]),
      ];
      const [file = '', ...args] = lab ? lab.user.command(argv).flat() : argv;
      const second = spawn(file, args, {
        env: { ...env, ...playedEnvironment(options.system) },
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      });
      await once(second, 'exit');
      // As Electron's does, which is told that it was heard before it ends.
      await eventually('the app has heard of it', async () =>
        (await readdir(mailOf(options.userData))).length === 0 ? true : undefined,
      );
    },
    async quit() {
      await running.app.userQuits().catch(() => undefined);
      await running.ended;
    },
    ended: running.ended,
    surroundings: {
      activate: () => running.app.userActivates(),
      protocolClients: () => running.app.protocolClients(),
      identity: () => running.app.identity(),
      openLink: (link) => running.app.userOpensLink(link),
      keepLoginItems: () => running.app.systemKeepsLoginItems(),
      quitByDock: () => running.app.userQuits().catch(() => undefined),
      shutDown: async () => {
        await running.app.systemShutsDown();
        await running.app.userQuits().catch(() => undefined);
      },
      async endSession() {
        await running.app.systemEndsSession();
        running.process.kill('SIGKILL');
        await running.ended;
      },
      // What the app does with it takes its own time.
      closeWindow: () => running.app.userClosesWindow(1).catch(() => undefined),
      moveWindow: (bounds) => running.app.userMovesWindow(1, bounds),
      window: () => running.app.windowShown(1),
      asked: running.asked,
      delayRequests: (channel) => running.delayMessages(1, channel),
      menu: () => running.app.menuShown(),
      chooseInMenu: (...labels) => unlessGone(running.app.userChoosesInMenu(labels)),
      press: (accelerator) => unlessGone(running.app.userPresses(accelerator)),
      async rightClick(on) {
        await running.app.userRightClicks(1, on);
        return await running.app.contextMenuShown();
      },
      zoomByWheel: (direction) => running.app.userZooms(1, direction),
      tray: () => running.app.trayShown(),
      clickTray: () => running.app.userClicksTray(),
      chooseInTray: (...labels) => unlessGone(running.app.userChoosesInTray(labels)),
      notifications: () => running.app.notificationsShown(),
      clickNotification: (index) => running.app.userClicksNotification(index),
      messageBox: () => running.app.messageBox(),
      answer: (button) => unlessGone(running.app.userAnswers(button)),
      saveDialog: () => running.app.saveDialog(),
      chooseFile: (file) => running.app.userChoosesFile(file),
    },
    async kill() {
      running.process.kill('SIGKILL');
      await running.ended;
    },
  };
}

import path from 'node:path';
import { feedProduct, type UpdateFeed } from '#node/manifest/update-feed.ts';
import { releaseKeys } from '#node/manifest/release-keys.ts';
import type { CommandTextKey } from '#shared/texts/command-texts.ts';
import { wouldOpenTraffic } from '#shared/tunnel/would-open-traffic.ts';
import { downloadUpdate, type DownloadProblem } from '../../updates/download-update.ts';
import { findUpdate, type FeedProblem, type UpdateSource } from '../../updates/find-update.ts';
import { settleLastAttempt } from '../../updates/last-attempt.ts';
import { systemInstaller } from '../../updates/system-installer.ts';
import { openUpdateMemory } from '../../updates/update-memory.ts';
import { updatesFolder } from '../../control/updates-folder.ts';
import { updatesPlace } from '../../updates/updates-place.ts';
import { hostOf } from '../../way-out/way-out-to.ts';
import { withProxyForms } from '../answer-forms.ts';
import { CommandProblem, type CommandContext } from '../command-context.ts';
import type { ErrorCode } from '../error-code.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import { waysOfCore } from '../ways-of-core.ts';

type Problem = FeedProblem | DownloadProblem;

const problems: Record<Problem, { code: ErrorCode<typeof exitCode.failed>; text: CommandTextKey }> = {
  unreachable: { code: 'network', text: 'command.updateUnreachable' },
  untrusted: { code: 'untrusted', text: 'command.updateUntrusted' },
  'other-product': { code: 'untrusted', text: 'command.updateUntrusted' },
  replayed: { code: 'untrusted', text: 'command.updateUntrusted' },
  damaged: { code: 'untrusted', text: 'command.updateUntrusted' },
  'no-room': { code: 'no-room', text: 'command.updateNoRoom' },
  busy: { code: 'busy', text: 'command.updateBusy' },
};

/**
 * Downloads a newer version and starts its installer, unless traffic that the tunnel carries would go out directly
 * meanwhile. With `isCheck`, only says whether there is one, and whether it is this computer's turn.
 */
export async function update(context: CommandContext, { isCheck }: { isCheck: boolean }): Promise<ExitCode> {
  const { terminal, say, isJson, platform, version } = context;
  // Without the environment: this program is in no AppImage, whatever has started it.
  const [place, trusted, installer] = [updatesPlace(), releaseKeys(), await systemInstaller(platform, {})];
  if (!place || !trusted || !installer)
    throw new CommandProblem(exitCode.failed, 'no-updates', say('command.updateNotHere'));
  const folder = updatesFolder(context.profile, context);
  const memory = openUpdateMemory(folder);
  const last = await settleLastAttempt(memory, version, installer);
  if (last.kind === 'failed') terminal.note(say('command.updateFailedBefore', { version: last.version }));
  if (last.kind === 'running') {
    if (!isCheck) throw isRunning(context);
    terminal.note(say('command.updateRunning'));
  }
  const { client } = await context.core();
  const ways = waysOfCore(client);
  const source: UpdateSource = {
    ...memory,
    url: place.url,
    trusted,
    version,
    product: feedProduct(platform, process.arch, place.name),
    fetch: ways.fetch,
  };
  const found = await withProxyForms(context, client, async () => {
    const look = () => findUpdate(source, { isWanted: !isCheck });
    const answer = await ways.withPassword(hostOf(place.url), look);
    if (answer.kind === 'problem') throw problemOf(context, answer.problem);
    return answer;
  });
  const feed = found.kind === 'update' ? found.feed : undefined;
  const isStarted = feed !== undefined && !isCheck;
  if (isStarted) {
    const file = await download(context, source, feed, path.join(folder, 'downloads'));
    await expectNothingOpens(context);
    const onBegun = () => memory.started.set(feed.version);
    const outcome = await installer.start(file, { opensAgain: false, onBegun });
    if (outcome !== 'started') {
      memory.started.set(undefined);
      if (outcome === 'running') throw isRunning(context);
      throw new CommandProblem(exitCode.failed, 'not-started', say('command.updateNotStarted'));
    }
  }
  const available = feed?.version ?? null;
  if (isJson) terminal.out(JSON.stringify({ installed: version, available, isStarted }));
  else if (found.kind === 'current') terminal.out(say('command.updateCurrent', { version }));
  else if (found.kind === 'later') terminal.out(say('command.updateLater', { version: found.version }));
  else
    terminal.out(
      say(isStarted ? 'command.updateStarted' : 'command.updateFound', { version: found.feed.version }),
    );
  return exitCode.done;
}

async function download(
  context: CommandContext,
  source: UpdateSource,
  feed: UpdateFeed,
  folder: string,
): Promise<string> {
  const { terminal, say, interrupted } = context;
  let told = -1;
  const onProgress = (received: number, size: number): void => {
    const tenths = Math.floor((received / size) * 10);
    if (tenths === told) return;
    told = tenths;
    const percent = String(tenths * 10);
    terminal.note(say('command.updateProgress', { version: feed.version, percent }));
  };
  const outcome = await downloadUpdate(source, feed, { folder, onProgress, signal: interrupted });
  if (outcome.kind === 'problem') throw problemOf(context, outcome.problem);
  return outcome.file;
}

/** Asked last, when the download is there: it can take a while. */
async function expectNothingOpens(context: CommandContext): Promise<void> {
  const { client } = await context.core();
  const [tunnel, { killSwitch }] = await Promise.all([client.tunnel.snapshot(), client.preferences.get()]);
  if (wouldOpenTraffic(tunnel, killSwitch))
    throw new CommandProblem(
      exitCode.failed,
      'would-open',
      context.say(tunnel.ownedByOther ? 'command.updateWouldOpenOther' : 'command.updateWouldOpen'),
    );
}

const isRunning = ({ say }: CommandContext): CommandProblem =>
  new CommandProblem(exitCode.failed, 'busy', say('command.updateRunning'));

const problemOf = ({ say }: CommandContext, problem: Problem): CommandProblem =>
  new CommandProblem(exitCode.failed, problems[problem].code, say(problems[problem].text));

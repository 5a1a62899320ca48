import type { Language } from '../entities.ts';

/** What the desktop app's pages say about updates: apart from the others, which the first pages load. */
const en = {
  'update.title': 'Updates',
  'update.check': 'Look for updates',
  'update.checking': 'Looking for updates…',
  'update.current': 'This is the newest version.',
  'update.later': 'There is a newer version, {{version}}, which some other computers get first.',
  'update.metered':
    'There is a newer version, {{version}} ({{size}}). It was not downloaded, because this network is metered.',
  'update.download': 'Download now',
  'update.downloading': 'Downloading {{version}}',
  'update.progress': '{{received}} of {{size}}',
  'update.ready': 'Waymaker {{version}} is ready',
  'update.readyText':
    'It will be installed when you quit Waymaker while you are not connected. You can also install it now.',
  'update.readyAtQuit': 'It will be installed when you quit Waymaker. You can also install it now.',
  'update.readyAgain':
    'It could not be installed the last time, and nothing was changed. Quitting does not install it; you can try again now.',
  'update.endsTunnel':
    'Installing it ends the connection, and the internet stays blocked until you connect again.',
  'update.install': 'Install',
  'update.installAndReopen': 'Install and reopen',
  'update.installing': 'Installing {{version}}. Waymaker will close; open it again afterwards.',
  'update.installingAndReopens': 'Installing {{version}}. Waymaker will close, and open again afterwards.',
  'update.installed': 'Waymaker {{version}} is installed',
  'update.installedText':
    'The previous version keeps running until you restart Waymaker. Your connection stays.',
  'update.restart': 'Restart Waymaker',
  'update.show': 'Show',
  'update.wouldOpen':
    'It cannot be installed now: the kill switch is off, so your traffic would go out directly meanwhile. Disconnect first, or turn the kill switch on.',
  'update.wouldOpenOther':
    'It cannot be installed now: another user of this computer is connected, and their traffic might go out directly meanwhile. Try again when they have disconnected.',
  'update.notStarted':
    'It was not installed: the installer could not be started. An administrator may have to allow it.',
  'update.running':
    'It was not installed: an installer of Waymaker is still running. Try again when it has finished.',
  'update.notWritable':
    'It was not installed: you may not replace the AppImage where it is. Move it to a folder of yours, or ask whoever put it there to replace it.',
  'update.notReplaced':
    'It was not installed: the AppImage could not be replaced. It may have been moved, or there may not be enough room on its disk.',
  'update.failedBefore': 'Version {{version}} could not be installed the last time, and nothing was changed.',
  'update.unreachable':
    'Updates could not be reached. Waymaker will try again later, and continue a download where it stopped.',
  'update.untrusted':
    'The update on offer was not signed by Waymaker, or is out of date, so nothing was installed. Waymaker will try again later.',
  'update.noRoom': 'There is not enough room on the disk for the new version. Waymaker will try again later.',
  'update.busy': 'Another Waymaker program is already downloading the new version.',
} as const;
export type UpdateTextKey = keyof typeof en;

export const updateTexts: Record<Language, Record<UpdateTextKey, string>> = {
  en,
  'zh-hans': {
    'update.title': '更新',
    'update.check': '检查更新',
    'update.checking': '正在检查更新…',
    'update.current': '已是最新版本。',
    'update.later': '有新版本 {{version}}，会先提供给部分电脑。',
    'update.metered': '有新版本 {{version}}（{{size}}）。当前网络按流量计费，因此没有下载。',
    'update.download': '立即下载',
    'update.downloading': '正在下载 {{version}}',
    'update.progress': '{{received}} / {{size}}',
    'update.ready': 'Waymaker {{version}} 已准备就绪',
    'update.readyText': '未连接时，退出 Waymaker 会自动安装；也可以现在安装。',
    'update.readyAtQuit': '退出 Waymaker 时会自动安装；也可以现在安装。',
    'update.readyAgain': '上次未能安装，没有做任何更改。退出时不会自动安装；可以现在重试。',
    'update.endsTunnel': '安装会断开连接，重新连接之前互联网将保持阻断。',
    'update.install': '安装',
    'update.installAndReopen': '安装并重新打开',
    'update.installing': '正在安装 {{version}}。Waymaker 会关闭，完成后请重新打开。',
    'update.installingAndReopens': '正在安装 {{version}}。Waymaker 会关闭，完成后自动重新打开。',
    'update.installed': '已安装 Waymaker {{version}}',
    'update.installedText': '重启 Waymaker 之前，运行的仍是之前的版本。连接不会断开。',
    'update.restart': '重启 Waymaker',
    'update.show': '查看',
    'update.wouldOpen':
      '现在无法安装：断网保护已关闭，安装期间流量会直接发出。请先断开连接，或打开断网保护。',
    'update.wouldOpenOther':
      '现在无法安装：此电脑的另一位用户已连接，安装期间其流量可能会直接发出。请在对方断开连接后重试。',
    'update.notStarted': '未安装：无法启动安装程序，可能需要管理员允许。',
    'update.running': '未安装：Waymaker 的安装程序仍在运行。请等它结束后重试。',
    'update.notWritable':
      '未安装：您无权替换此位置的 AppImage。请将它移到您自己的文件夹，或请放置它的人替换。',
    'update.notReplaced': '未安装：无法替换 AppImage。它可能已被移动，或者所在磁盘空间不足。',
    'update.failedBefore': '上次未能安装 {{version}}，没有做任何更改。',
    'update.unreachable': '无法获取更新。Waymaker 稍后会重试，下载会从中断处继续。',
    'update.untrusted': '提供的更新没有 Waymaker 的签名，或者已过期，因此未安装。Waymaker 稍后会重试。',
    'update.noRoom': '磁盘空间不足，放不下新版本。Waymaker 稍后会重试。',
    'update.busy': '另一个 Waymaker 程序已在下载新版本。',
  },
  'zh-hant': {
    'update.title': '更新',
    'update.check': '檢查更新',
    'update.checking': '正在檢查更新…',
    'update.current': '已是最新版本。',
    'update.later': '有新版本 {{version}}，會先提供給部分電腦。',
    'update.metered': '有新版本 {{version}}（{{size}}）。目前的網路按流量計費，因此沒有下載。',
    'update.download': '立即下載',
    'update.downloading': '正在下載 {{version}}',
    'update.progress': '{{received}} / {{size}}',
    'update.ready': 'Waymaker {{version}} 已準備就緒',
    'update.readyText': '未連線時，結束 Waymaker 會自動安裝；也可以現在安裝。',
    'update.readyAtQuit': '結束 Waymaker 時會自動安裝；也可以現在安裝。',
    'update.readyAgain': '上次未能安裝，沒有做任何變更。結束時不會自動安裝；可以現在重試。',
    'update.endsTunnel': '安裝會中斷連線，重新連線之前網際網路將保持封鎖。',
    'update.install': '安裝',
    'update.installAndReopen': '安裝並重新開啟',
    'update.installing': '正在安裝 {{version}}。Waymaker 會關閉，完成後請重新開啟。',
    'update.installingAndReopens': '正在安裝 {{version}}。Waymaker 會關閉，完成後自動重新開啟。',
    'update.installed': '已安裝 Waymaker {{version}}',
    'update.installedText': '重新啟動 Waymaker 之前，執行的仍是先前的版本。連線不會中斷。',
    'update.restart': '重新啟動 Waymaker',
    'update.show': '檢視',
    'update.wouldOpen':
      '現在無法安裝：斷網保護已關閉，安裝期間流量會直接送出。請先中斷連線，或開啟斷網保護。',
    'update.wouldOpenOther':
      '現在無法安裝：此電腦的另一位使用者已連線，安裝期間其流量可能會直接送出。請在對方中斷連線後重試。',
    'update.notStarted': '未安裝：無法啟動安裝程式，可能需要管理員允許。',
    'update.running': '未安裝：Waymaker 的安裝程式仍在執行。請等它結束後再試。',
    'update.notWritable':
      '未安裝：您無權取代此位置的 AppImage。請將它移到您自己的資料夾，或請放置它的人取代。',
    'update.notReplaced': '未安裝：無法取代 AppImage。它可能已被移動，或者所在磁碟空間不足。',
    'update.failedBefore': '上次未能安裝 {{version}}，沒有做任何變更。',
    'update.unreachable': '無法取得更新。Waymaker 稍後會重試，下載會從中斷處繼續。',
    'update.untrusted': '提供的更新沒有 Waymaker 的簽章，或者已過期，因此未安裝。Waymaker 稍後會重試。',
    'update.noRoom': '磁碟空間不足，放不下新版本。Waymaker 稍後會重試。',
    'update.busy': '另一個 Waymaker 程式已在下載新版本。',
  },
};

import type { Language, Platform } from '../entities.ts';
import type { CommandTextKey } from './command-texts.ts';
import type { TextKey } from './texts.ts';

/** The texts that name what only Linux has, and whose counterpart is different on each system. */
export type SystemTextKey = Extract<
  TextKey | CommandTextKey,
  | 'account.memoryText'
  | 'cause.engineAbsent'
  | 'cause.helperAbsent'
  | 'cause.installationRefused'
  | 'command.oldCore'
  | 'command.restore'
  | 'command.restored'
  | 'command.restoreNeedsRoot'
  | 'command.selfTest'
  | 'command.stateDirectoryOption'
  | 'doctor.engineOwn'
  | 'doctor.installationOlder'
  | 'networks.unavailable'
  | 'reason.engineUnsuited'
>;

/** What these texts say on macOS and Windows; the usual ones are for Linux. */
export type SystemTexts = Record<SystemTextKey, string>;

const macos: Record<Language, SystemTexts> = {
  en: {
    'account.memoryText':
      'Your keychain cannot be used, so your sign-in is kept in memory and never written to disk. Unlock it in Keychain Access to stay signed in.',
    'cause.engineAbsent': 'Waymaker’s engine cannot run here. Install Waymaker again.',
    'cause.helperAbsent':
      'The helper sets up the tunnel. If Waymaker is installed here, “sudo launchctl kickstart system/example.waymaker.helper” starts it; if that fails, install Waymaker again. If no site opens until then, “sudo sh /Applications/Waymaker.app/Contents/Resources/uninstall” unblocks your traffic and removes Waymaker.',
    'cause.installationRefused':
      'Its files are not the ones that were signed, so they are not used. Install Waymaker again. If no site opens until then, “sudo sh /Applications/Waymaker.app/Contents/Resources/uninstall” unblocks your traffic and removes Waymaker.',
    'command.oldCore': 'A Waymaker of another version is running. Quit it, then try again.',
    'command.restore':
      'as root: undo everything the helper left behind and unblock traffic, without the helper',
    'command.restored':
      'Everything has been undone, and traffic goes straight to the internet. To connect again, start the helper: sudo launchctl kickstart system/example.waymaker.helper',
    'command.restoreNeedsRoot': 'Only root can do this: sudo waymaker restore',
    'command.selfTest':
      'as root: prove on this computer that the tunnel and its protection work; interrupts your network, and asks first',
    'command.stateDirectoryOption':
      'where the helper keeps its journal; default: /Library/Application Support/Waymaker/helper',
    'doctor.engineOwn': 'Waymaker’s own',
    'doctor.installationOlder':
      'The helper does not run, because a newer version has run here before. Install that one. To go back on purpose, remove “/Library/Application Support/Waymaker/helper/version-floor” as root.',
    'networks.unavailable': 'Not available, because macOS does not say which network this is',
    'reason.engineUnsuited':
      'This server needs an engine that Waymaker does not have on macOS. Choose another server.',
  },
  'zh-hans': {
    'account.memoryText':
      '无法使用您的钥匙串，登录信息只保存在内存中，绝不写入磁盘。在“钥匙串访问”中解锁钥匙串即可保持登录。',
    'cause.engineAbsent': 'Waymaker 的引擎无法在此运行。请重新安装 Waymaker。',
    'cause.helperAbsent':
      '隧道由辅助服务建立。如果这台电脑已安装 Waymaker，请运行“sudo launchctl kickstart system/example.waymaker.helper”启动它；如果失败，请重新安装 Waymaker。如果在此之前无法上网，“sudo sh /Applications/Waymaker.app/Contents/Resources/uninstall”可解除阻断并移除 Waymaker。',
    'cause.installationRefused':
      '其文件与签名不符，因此不会使用。请重新安装 Waymaker。如果在此之前无法上网，“sudo sh /Applications/Waymaker.app/Contents/Resources/uninstall”可解除阻断并移除 Waymaker。',
    'command.oldCore': '正在运行的 Waymaker 是其他版本。请退出它，然后重试。',
    'command.restore': '以 root 身份撤销辅助服务留下的一切并解除阻断，无需辅助服务',
    'command.restored':
      '已全部撤销，流量会直接进入互联网。要再次连接，请启动辅助服务：sudo launchctl kickstart system/example.waymaker.helper',
    'command.restoreNeedsRoot': '只有 root 可以执行：sudo waymaker restore',
    'command.selfTest': '以 root 身份在这台电脑上证明隧道及其保护有效；会中断您的网络，并事先询问',
    'command.stateDirectoryOption':
      '辅助服务保存撤销记录的目录；省略时为 /Library/Application Support/Waymaker/helper',
    'doctor.engineOwn': 'Waymaker 自带的引擎',
    'doctor.installationOlder':
      '辅助服务未运行，因为这里运行过更新的版本。请安装那个版本。如果确实要退回，请以 root 身份删除“/Library/Application Support/Waymaker/helper/version-floor”。',
    'networks.unavailable': 'macOS 未说明当前是哪个网络，无法使用',
    'reason.engineUnsuited': '此服务器需要的引擎在 macOS 版 Waymaker 中没有。请选择其他服务器。',
  },
  'zh-hant': {
    'account.memoryText':
      '無法使用您的鑰匙圈，登入資訊只儲存在記憶體中，絕不寫入磁碟。在「鑰匙圈存取」中解鎖鑰匙圈即可保持登入。',
    'cause.engineAbsent': 'Waymaker 的引擎無法在此執行。請重新安裝 Waymaker。',
    'cause.helperAbsent':
      '通道由輔助服務建立。如果這部電腦已安裝 Waymaker，請執行「sudo launchctl kickstart system/example.waymaker.helper」啟動它；如果失敗，請重新安裝 Waymaker。如果在此之前無法上網，「sudo sh /Applications/Waymaker.app/Contents/Resources/uninstall」可解除封鎖並移除 Waymaker。',
    'cause.installationRefused':
      '其檔案與簽章不符，因此不會使用。請重新安裝 Waymaker。如果在此之前無法上網，「sudo sh /Applications/Waymaker.app/Contents/Resources/uninstall」可解除封鎖並移除 Waymaker。',
    'command.oldCore': '正在執行的 Waymaker 是其他版本。請結束它，然後重試。',
    'command.restore': '以 root 身分復原輔助服務留下的一切並解除封鎖，無需輔助服務',
    'command.restored':
      '已全部復原，流量會直接進入網際網路。要再次連線，請啟動輔助服務：sudo launchctl kickstart system/example.waymaker.helper',
    'command.restoreNeedsRoot': '只有 root 可以執行：sudo waymaker restore',
    'command.selfTest': '以 root 身分在這部電腦上證明通道及其保護有效；會中斷您的網路，並事先詢問',
    'command.stateDirectoryOption':
      '輔助服務儲存復原紀錄的目錄；省略時為 /Library/Application Support/Waymaker/helper',
    'doctor.engineOwn': 'Waymaker 內建的引擎',
    'doctor.installationOlder':
      '輔助服務未執行，因為這裡執行過更新的版本。請安裝該版本。如果確實要退回，請以 root 身分刪除「/Library/Application Support/Waymaker/helper/version-floor」。',
    'networks.unavailable': 'macOS 未說明目前是哪個網路，無法使用',
    'reason.engineUnsuited': '此伺服器需要的引擎在 macOS 版 Waymaker 中沒有。請選擇其他伺服器。',
  },
};

const windows: Record<Language, SystemTexts> = {
  en: {
    'account.memoryText':
      'Windows’ Credential Manager cannot be used, so your sign-in is kept in memory and never written to disk. To stay signed in, start the service “Credential Manager”.',
    'cause.engineAbsent': 'Waymaker’s engine cannot run here. Install Waymaker again.',
    'cause.helperAbsent':
      'The helper sets up the tunnel. If Waymaker is installed here, run “sc.exe start Waymaker” as an administrator to start it; if that fails, install Waymaker again.',
    'cause.installationRefused':
      'Its files are not the ones that were signed, so they are not used. Install Waymaker again.',
    'command.oldCore': 'A Waymaker of another version is running. Quit it, then try again.',
    'command.restore':
      'as an administrator: undo everything the helper left behind and unblock traffic, without the helper',
    'command.restored':
      'Everything has been undone, and traffic goes straight to the internet. To connect again, start the helper as an administrator: sc.exe start Waymaker',
    'command.restoreNeedsRoot':
      'Only an administrator can do this. Open a terminal as an administrator, then run “waymaker restore” in it.',
    'command.selfTest':
      'as an administrator: prove on this computer that the tunnel and its protection work; interrupts your network, and asks first',
    'command.stateDirectoryOption': 'where the helper keeps its journal; default: Waymaker in ProgramData',
    'doctor.engineOwn': 'Waymaker’s own',
    'doctor.installationOlder':
      'The helper does not run, because a newer version has run here before. Install that one. To go back on purpose, remove “version-floor” from the folder Waymaker in ProgramData, as an administrator.',
    'networks.unavailable': 'Not available, because Windows does not say which network this is',
    'reason.engineUnsuited':
      'This server needs an engine that Waymaker does not have on Windows. Choose another server.',
  },
  'zh-hans': {
    'account.memoryText':
      '无法使用 Windows 的凭据管理器，登录信息只保存在内存中，绝不写入磁盘。启动服务“Credential Manager”即可保持登录。',
    'cause.engineAbsent': 'Waymaker 的引擎无法在此运行。请重新安装 Waymaker。',
    'cause.helperAbsent':
      '隧道由辅助服务建立。如果这台电脑已安装 Waymaker，请在管理员终端中运行“sc.exe start Waymaker”启动它；如果失败，请重新安装 Waymaker。',
    'cause.installationRefused': '其文件与签名不符，因此不会使用。请重新安装 Waymaker。',
    'command.oldCore': '正在运行的 Waymaker 是其他版本。请退出它，然后重试。',
    'command.restore': '以管理员身份撤销辅助服务留下的一切并解除阻断，无需辅助服务',
    'command.restored':
      '已全部撤销，流量会直接进入互联网。要再次连接，请以管理员身份启动辅助服务：sc.exe start Waymaker',
    'command.restoreNeedsRoot': '只有管理员可以执行。请打开管理员终端，然后在其中运行“waymaker restore”。',
    'command.selfTest': '以管理员身份在这台电脑上证明隧道及其保护有效；会中断您的网络，并事先询问',
    'command.stateDirectoryOption': '辅助服务保存撤销记录的目录；省略时为 ProgramData 中的 Waymaker',
    'doctor.engineOwn': 'Waymaker 自带的引擎',
    'doctor.installationOlder':
      '辅助服务未运行，因为这里运行过更新的版本。请安装那个版本。如果确实要退回，请以管理员身份删除 ProgramData 中 Waymaker 文件夹里的“version-floor”。',
    'networks.unavailable': 'Windows 未说明当前是哪个网络，无法使用',
    'reason.engineUnsuited': '此服务器需要的引擎在 Windows 版 Waymaker 中没有。请选择其他服务器。',
  },
  'zh-hant': {
    'account.memoryText':
      '無法使用 Windows 的認證管理員，登入資訊只儲存在記憶體中，絕不寫入磁碟。啟動服務「Credential Manager」即可保持登入。',
    'cause.engineAbsent': 'Waymaker 的引擎無法在此執行。請重新安裝 Waymaker。',
    'cause.helperAbsent':
      '通道由輔助服務建立。如果這部電腦已安裝 Waymaker，請在系統管理員終端機中執行「sc.exe start Waymaker」啟動它；如果失敗，請重新安裝 Waymaker。',
    'cause.installationRefused': '其檔案與簽章不符，因此不會使用。請重新安裝 Waymaker。',
    'command.oldCore': '正在執行的 Waymaker 是其他版本。請結束它，然後重試。',
    'command.restore': '以系統管理員身分復原輔助服務留下的一切並解除封鎖，無需輔助服務',
    'command.restored':
      '已全部復原，流量會直接進入網際網路。若要再次連線，請以系統管理員身分啟動輔助服務：sc.exe start Waymaker',
    'command.restoreNeedsRoot':
      '只有系統管理員可以執行。請開啟系統管理員終端機，然後在其中執行「waymaker restore」。',
    'command.selfTest': '以系統管理員身分在這部電腦上證明通道及其保護有效；會中斷您的網路，並事先詢問',
    'command.stateDirectoryOption': '輔助服務儲存復原紀錄的目錄；省略時為 ProgramData 中的 Waymaker',
    'doctor.engineOwn': 'Waymaker 內建的引擎',
    'doctor.installationOlder':
      '輔助服務未執行，因為這裡執行過更新的版本。請安裝該版本。如果確實要退回，請以系統管理員身分刪除 ProgramData 中 Waymaker 資料夾裡的「version-floor」。',
    'networks.unavailable': 'Windows 未說明目前是哪個網路，無法使用',
    'reason.engineUnsuited': '此伺服器需要的引擎在 Windows 版 Waymaker 中沒有。請選擇其他伺服器。',
  },
};

/** Undefined: that system has the usual texts. */
export function systemTexts(platform: Platform, language: Language): SystemTexts | undefined {
  if (platform === 'macos') return macos[language];
  return platform === 'windows' ? windows[language] : undefined;
}

import type { Language } from '../entities.ts';

/** What the desktop says outside of its pages: in the tray's menu, in notifications, in message boxes. */
const en = {
  'tray.tooltip': 'Waymaker: {{state}}',
  'tray.connectTo': 'Connect to {{server}}',
  'tray.connectedTo': 'Connected to {{server}}',
  'tray.connectingTo': 'Connecting to {{server}}…',
  'tray.signedOut': 'Signed out',
  'tray.signIn': 'Sign in…',
  'tray.choosePlan': 'Choose a plan…',
  'tray.chooseServer': 'Choose a server…',
  'tray.answer': 'Answer the server…',
  'tray.recent': 'Recent servers',
  'tray.open': 'Open Waymaker',
  'tray.quit': 'Quit Waymaker',
  'tray.options': 'Options',

  'link.connectTitle': 'Connect to {{server}}?',
  'link.connectText': 'A link asks for it. If you have not opened one, choose Cancel.',

  'notice.lost': 'Connection lost',
  'notice.lostText': 'Waymaker is reconnecting. Your traffic waits until then.',
  'notice.disconnected': 'Disconnected',
  'notice.trialEnds': 'Your trial ends in less than {{time}}',
  'notice.planEnds': 'Your plan ends in less than {{time}}',
  'notice.endsText': 'After that, Waymaker cannot connect without a plan.',

  'quit.disconnectTitle': 'Disconnect and quit?',
  'quit.disconnectText':
    'The kill switch is on. Once disconnected, your traffic goes out directly. You can also stay connected: the tunnel then goes on by itself, and if it breaks, your traffic stays blocked until you open Waymaker again.',
  'quit.keepTitle': 'Stay connected and quit?',
  'quit.keepText':
    'The tunnel goes on by itself. The kill switch is on: if the tunnel breaks, your traffic stays blocked until you open Waymaker again.',
  'quit.blockedText':
    'If you quit now and keep it blocked, nothing goes out, even after a restart, until you open Waymaker again and connect or unblock it.',
  'quit.disconnect': 'Disconnect and quit',
  'quit.keep': 'Stay connected and quit',
  'quit.unblock': 'Unblock and quit',
  'quit.keepBlocking': 'Keep it blocked and quit',

  'close.title': 'Waymaker is still at work',
  'close.text':
    'This desktop shows no icon for Waymaker, so the window would be hard to find again. Minimize it, or quit.',
  'close.minimize': 'Minimize',
} as const;

export type DesktopTextKey = keyof typeof en;

export const desktopTexts: Record<Language, Record<DesktopTextKey, string>> = {
  en,
  'zh-hans': {
    'tray.tooltip': 'Waymaker：{{state}}',
    'tray.connectTo': '连接 {{server}}',
    'tray.connectedTo': '已连接 {{server}}',
    'tray.connectingTo': '正在连接 {{server}}…',
    'tray.signedOut': '未登录',
    'tray.signIn': '登录…',
    'tray.choosePlan': '选择套餐…',
    'tray.chooseServer': '选择服务器…',
    'tray.answer': '回答服务器的提问…',
    'tray.recent': '最近使用的服务器',
    'tray.open': '打开 Waymaker',
    'tray.quit': '退出 Waymaker',
    'tray.options': '选项',

    'link.connectTitle': '连接 {{server}}？',
    'link.connectText': '有链接请求连接。如果您没有打开过这样的链接，请选择“取消”。',

    'notice.lost': '连接已中断',
    'notice.lostText': 'Waymaker 正在重新连接，在此之前您的流量会等待。',
    'notice.disconnected': '连接已断开',
    'notice.trialEnds': '试用将在 {{time}}内结束',
    'notice.planEnds': '套餐将在 {{time}}内到期',
    'notice.endsText': '此后没有套餐将无法连接。',

    'quit.disconnectTitle': '断开连接并退出？',
    'quit.disconnectText':
      '断网保护已开启。断开后，您的流量将不经过隧道。您也可以保持连接：隧道会继续运行；如果隧道中断，您的流量会一直被拦截，直到您再次打开 Waymaker。',
    'quit.keepTitle': '保持连接并退出？',
    'quit.keepText':
      '隧道会继续运行。断网保护已开启：如果隧道中断，您的流量会一直被拦截，直到您再次打开 Waymaker。',
    'quit.blockedText':
      '如果现在退出并保持拦截，任何流量都无法发出，重启后也是如此，直到您再次打开 Waymaker 并连接或解除拦截。',
    'quit.disconnect': '断开连接并退出',
    'quit.keep': '保持连接并退出',
    'quit.unblock': '解除拦截并退出',
    'quit.keepBlocking': '保持拦截并退出',

    'close.title': 'Waymaker 仍在运行',
    'close.text': '此桌面不显示 Waymaker 的图标，关闭后很难再找到窗口。请最小化窗口，或退出 Waymaker。',
    'close.minimize': '最小化',
  },
  'zh-hant': {
    'tray.tooltip': 'Waymaker：{{state}}',
    'tray.connectTo': '連線至 {{server}}',
    'tray.connectedTo': '已連線至 {{server}}',
    'tray.connectingTo': '正在連線至 {{server}}…',
    'tray.signedOut': '未登入',
    'tray.signIn': '登入…',
    'tray.choosePlan': '選擇方案…',
    'tray.chooseServer': '選擇伺服器…',
    'tray.answer': '回答伺服器的提問…',
    'tray.recent': '最近使用的伺服器',
    'tray.open': '開啟 Waymaker',
    'tray.quit': '結束 Waymaker',
    'tray.options': '選項',

    'link.connectTitle': '連線至 {{server}}？',
    'link.connectText': '有連結要求連線。如果您沒有開啟過這樣的連結，請選擇「取消」。',

    'notice.lost': '連線已中斷',
    'notice.lostText': 'Waymaker 正在重新連線，在此之前您的流量會等待。',
    'notice.disconnected': '連線已斷開',
    'notice.trialEnds': '試用將在 {{time}}內結束',
    'notice.planEnds': '方案將在 {{time}}內到期',
    'notice.endsText': '此後沒有方案將無法連線。',

    'quit.disconnectTitle': '中斷連線並結束？',
    'quit.disconnectText':
      '斷網保護已開啟。中斷連線後，您的流量將不經過通道。您也可以保持連線：通道會繼續運作；如果通道中斷，您的流量會一直被封鎖，直到您再次開啟 Waymaker。',
    'quit.keepTitle': '保持連線並結束？',
    'quit.keepText':
      '通道會繼續運作。斷網保護已開啟：如果通道中斷，您的流量會一直被封鎖，直到您再次開啟 Waymaker。',
    'quit.blockedText':
      '如果現在結束並保持封鎖，任何流量都無法送出，重新啟動後也是如此，直到您再次開啟 Waymaker 並連線或解除封鎖。',
    'quit.disconnect': '中斷連線並結束',
    'quit.keep': '保持連線並結束',
    'quit.unblock': '解除封鎖並結束',
    'quit.keepBlocking': '保持封鎖並結束',

    'close.title': 'Waymaker 仍在執行',
    'close.text': '此桌面不顯示 Waymaker 的圖示，關閉後很難再找到視窗。請將視窗最小化，或結束 Waymaker。',
    'close.minimize': '最小化',
  },
};

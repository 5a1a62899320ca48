import type { Language } from '../../entities.ts';

/** Texts of `waymaker doctor`. */
const en = {
  'doctor.ok': 'OK',
  'doctor.notChecked': 'not checked',
  'doctor.helper': 'Helper',
  'doctor.installation': 'Installed files',
  'doctor.installationFile': '“{{file}}” is not what was signed. Install Waymaker again.',
  'doctor.installationOlder':
    'The helper does not run, because a newer version has run here before. Install that one. To go back on purpose, remove /var/lib/waymaker/version-floor as root.',
  'doctor.engine': 'Engine',
  'doctor.engineOwn': 'Waymaker’s own. openconnect is not installed; Waymaker says so if a server needs it.',
  'doctor.engineBoth': 'Waymaker’s own, or openconnect for servers that need it',
  'doctor.engineOpenconnect': 'openconnect',
  'doctor.users': 'System users',
  'doctor.usersMissing': 'Missing: {{users}}. Install Waymaker again.',
  'doctor.device': 'Tunnel device',
  'doctor.deviceMissing': '/dev/net/tun is missing. Load the kernel module “tun”.',
  'doctor.deviceWithoutDriver':
    '/dev/net/tun cannot be opened, because the kernel module “tun” cannot be loaded. If the kernel has just been updated, restart the computer.',
  'doctor.disk': 'Disk space',
  'doctor.diskFull':
    'The disk with {{folders}} is full, so Waymaker cannot save settings, or what it has to undo after a tunnel. Free up space on it.',
  'doctor.filter': 'Packet filter',
  'doctor.filterMissing': 'Waymaker needs the program “nft”. Install nftables, then try again.',
  'doctor.filterAnchorMissing':
    'The packet filter’s rules in /etc/pf.conf do not include Waymaker’s. Put the line “anchor "com.apple/*"” back there, then restart this Mac.',
  'doctor.filterEngineOff':
    'Windows’ “Base Filtering Engine” (BFE) does not run, and without it the helper cannot start. A program that tunes Windows may have switched this service off: switch it on again, then restart the computer.',
  'doctor.resolver': 'DNS',
  'doctor.nameUnknown': '“{{host}}” cannot be looked up. Check this computer’s network and DNS settings.',
  'doctor.clock': 'Clock',
  'doctor.clockWrong':
    'This computer’s clock is {{minutes}} minutes off, so certificates and codes may be refused. Set the correct time.',
  'doctor.wayOut': 'Internet access',
  'doctor.wayOutDirect': 'Directly',
  'doctor.wayOutProxy': 'Through the proxy {{proxy}}',
  'doctor.wayOutRefused':
    'The proxy {{proxy}} needs a user name and password, or does not accept those that it was given. Run “waymaker connect” in a terminal, or connect in the app, and enter them.',
  'doctor.wayOutScript': 'according to the script that the system is set to use',
  'doctor.wayOutDiscovered':
    'according to the script that this network names (WPAD), which the system is set to look for',
  'doctor.wayOutUndiscovered':
    'the system is set to look for a script on the network (WPAD), but this network names none that Waymaker uses',
  'doctor.service': 'Service',
  'doctor.serviceSilent': '“{{host}}” does not answer. Check this computer’s network, then try again later.',
  'doctor.serviceUntrusted':
    'The certificate of “{{host}}” is one that this computer does not trust, so nothing was sent. A security program or this network may replace certificates: ask whoever runs it to have this computer trust its own.',
  'doctor.serviceDates':
    'By this computer’s clock, the certificate of “{{host}}” has expired or is not valid yet. Check this computer’s date and time.',
  'doctor.gateway': 'Chosen server',
  'doctor.gatewaySilent': '{{server}} does not answer. Choose another server.',
  'doctor.otherVpn': 'Other VPNs',
  'doctor.otherVpnFound':
    'Another VPN seems to be running ({{devices}}). Two VPNs can overwrite each other’s routes: turn one off.',
  'doctor.route': 'Routes',
  'doctor.routeWrong':
    'Packets to {{address}} would leave through {{device}}, which does not match the connection’s state. Disconnect, then connect again.',
  'doctor.probe': 'Real traffic',
  'doctor.probeSilent':
    'A test connection to the service failed. Check this computer’s network, or try again later.',
  'doctor.probeWrong':
    'A connection left from {{address}}, which does not match the connection’s state. Disconnect, then connect again.',
  'doctor.blockLeaks':
    'Traffic gets out although it should be blocked. Run “waymaker connect”, and report this problem.',
  'doctor.networksMissing':
    'The server names {{networks}} networks, but only {{found}} are routed into the tunnel. Disconnect, then connect again.',
  'doctor.proxy': 'Proxy',
  'doctor.pacMissing':
    'The file that tells browsers what to send to the proxy cannot be read. Disconnect, then connect again.',
  'doctor.proxySilent': 'The proxy at {{address}} does not answer. Disconnect, then connect again.',
  'doctor.proxyRouteWrong':
    'Traffic from the proxy would leave through {{device}} instead of the tunnel. Disconnect, then connect again.',
  'doctor.proxyOpen': 'The proxy should refuse “{{target}}”, but does not. Report this problem.',
  'doctor.proxyCutOff': 'The service cannot be reached through the proxy. Disconnect, then connect again.',
  'doctor.group': 'Chosen apps',
  'doctor.groupRefused': 'A program could not be added to the chosen apps. Disconnect, then connect again.',
  'doctor.groupSilent':
    'A program among the chosen apps cannot reach the service. Disconnect, then connect again.',
  'doctor.groupWrong':
    'A program among the chosen apps connected from {{address}}, which does not match your choice. Disconnect, then connect again.',
  'doctor.system': 'This system',
  'doctor.systemUntried':
    'So far, Waymaker’s protection on this system has only been tried on models, not on a real computer. “waymaker self-test --report self-test.txt”, run as an administrator, tries it here. Please open an issue with that report in Waymaker’s repository.',
  'doctor.systemUnderWine':
    'So far, Waymaker’s protection on this system has only been tried on models, and other parts under wine, not on a real computer. “waymaker self-test --report self-test.txt”, run as an administrator, tries it here. Please open an issue with that report in Waymaker’s repository.',
} as const;

export type DoctorTextKey = keyof typeof en;

export const doctorTexts: Record<Language, Record<DoctorTextKey, string>> = {
  en,
  'zh-hans': {
    'doctor.ok': '正常',
    'doctor.notChecked': '未检查',
    'doctor.helper': '辅助服务',
    'doctor.installation': '已安装的文件',
    'doctor.installationFile': '“{{file}}”与签名不符。请重新安装 Waymaker。',
    'doctor.installationOlder':
      '辅助服务未运行，因为这里运行过更新的版本。请安装那个版本。如果确实要退回，请以 root 身份删除 /var/lib/waymaker/version-floor。',
    'doctor.engine': '隧道引擎',
    'doctor.engineOwn': 'Waymaker 自带的引擎。未安装 openconnect；如果服务器需要它，Waymaker 会提示。',
    'doctor.engineBoth': 'Waymaker 自带的引擎；服务器需要时使用 openconnect',
    'doctor.engineOpenconnect': 'openconnect',
    'doctor.users': '系统用户',
    'doctor.usersMissing': '缺少：{{users}}。请重新安装 Waymaker。',
    'doctor.device': '隧道设备',
    'doctor.deviceMissing': '缺少 /dev/net/tun。请加载内核模块“tun”。',
    'doctor.deviceWithoutDriver':
      '无法打开 /dev/net/tun，因为内核模块“tun”无法加载。如果内核刚刚更新过，请重新启动电脑。',
    'doctor.disk': '磁盘空间',
    'doctor.diskFull':
      '{{folders}} 所在的磁盘已满，无法保存设置，也无法记录断开连接后需要恢复的内容。请清理该磁盘。',
    'doctor.filter': '数据包过滤器',
    'doctor.filterMissing': 'Waymaker 需要程序“nft”。请安装 nftables，然后重试。',
    'doctor.filterAnchorMissing':
      '/etc/pf.conf 中的数据包过滤规则没有引用 Waymaker 的规则。请恢复其中的“anchor "com.apple/*"”一行，然后重新启动这台 Mac。',
    'doctor.filterEngineOff':
      'Windows 的“Base Filtering Engine”（BFE）服务没有运行，辅助服务因此无法启动。它可能被系统优化软件关闭：请重新启用，然后重新启动电脑。',
    'doctor.resolver': 'DNS',
    'doctor.nameUnknown': '无法解析“{{host}}”。请检查此电脑的网络和 DNS 设置。',
    'doctor.clock': '时钟',
    'doctor.clockWrong': '此电脑的时钟相差 {{minutes}} 分钟，证书和验证码可能会被拒绝。请校准时间。',
    'doctor.wayOut': '上网方式',
    'doctor.wayOutDirect': '直接连接',
    'doctor.wayOutProxy': '通过代理 {{proxy}}',
    'doctor.wayOutRefused':
      '代理 {{proxy}} 需要用户名和密码，或不接受已提供的用户名和密码。请在终端中运行“waymaker connect”，或在应用中连接，并输入它们。',
    'doctor.wayOutScript': '依照系统所设的脚本',
    'doctor.wayOutDiscovered': '系统设为在网络中查找脚本（WPAD），依照此网络提供的脚本',
    'doctor.wayOutUndiscovered': '系统设为在网络中查找脚本（WPAD），此网络没有可用的脚本',
    'doctor.service': '服务',
    'doctor.serviceSilent': '“{{host}}”没有响应。请检查此电脑的网络，或稍后重试。',
    'doctor.serviceUntrusted':
      '“{{host}}”的证书不受此电脑信任，因此没有发送任何数据。证书可能被安全软件或此网络替换：请让其管理者使此电脑信任它自己的证书。',
    'doctor.serviceDates': '按此电脑的时钟，“{{host}}”的证书已过期或尚未生效。请检查此电脑的日期和时间。',
    'doctor.gateway': '所选服务器',
    'doctor.gatewaySilent': '{{server}} 没有响应。请选择其他服务器。',
    'doctor.otherVpn': '其他 VPN',
    'doctor.otherVpnFound':
      '似乎有其他 VPN 正在运行（{{devices}}）。两个 VPN 可能会互相改写路由，请关闭其中一个。',
    'doctor.route': '路由',
    'doctor.routeWrong':
      '发往 {{address}} 的数据包会从 {{device}} 发出，与连接状态不符。请断开连接，然后重新连接。',
    'doctor.probe': '实际流量',
    'doctor.probeSilent': '与服务的测试连接失败。请检查此电脑的网络，或稍后重试。',
    'doctor.probeWrong': '有连接从 {{address}} 发出，与连接状态不符。请断开连接，然后重新连接。',
    'doctor.blockLeaks': '流量本应被阻断，却仍能发出。请运行“waymaker connect”，并报告此问题。',
    'doctor.networksMissing':
      '服务器指定了 {{networks}} 个网段，只有 {{found}} 个走隧道。请断开连接，然后重新连接。',
    'doctor.proxy': '代理',
    'doctor.pacMissing': '无法读取告诉浏览器哪些网站走代理的文件。请断开连接，然后重新连接。',
    'doctor.proxySilent': '代理 {{address}} 没有响应。请断开连接，然后重新连接。',
    'doctor.proxyRouteWrong': '代理的流量会从 {{device}} 发出，而不走隧道。请断开连接，然后重新连接。',
    'doctor.proxyOpen': '代理应当拒绝“{{target}}”，却没有拒绝。请报告此问题。',
    'doctor.proxyCutOff': '无法通过代理连接服务。请断开连接，然后重新连接。',
    'doctor.group': '所选应用',
    'doctor.groupRefused': '无法将程序加入所选应用。请断开连接，然后重新连接。',
    'doctor.groupSilent': '所选应用中的程序无法连接服务。请断开连接，然后重新连接。',
    'doctor.groupWrong':
      '所选应用中的程序从 {{address}} 发出流量，与您的选择不符。请断开连接，然后重新连接。',
    'doctor.system': '本系统',
    'doctor.systemUntried':
      '到目前为止，Waymaker 在本系统上的保护功能只在模型上试过，尚未在真实的电脑上试过。以管理员身份运行“waymaker self-test --report self-test.txt”可以在这里测试。请在 Waymaker 的代码仓库中提交问题，并附上该报告。',
    'doctor.systemUnderWine':
      '到目前为止，Waymaker 在本系统上的保护功能只在模型上试过，其他部分在 wine 下试过，尚未在真实的电脑上试过。以管理员身份运行“waymaker self-test --report self-test.txt”可以在这里测试。请在 Waymaker 的代码仓库中提交问题，并附上该报告。',
  },
  'zh-hant': {
    'doctor.ok': '正常',
    'doctor.notChecked': '未檢查',
    'doctor.helper': '輔助服務',
    'doctor.installation': '已安裝的檔案',
    'doctor.installationFile': '「{{file}}」與簽章不符。請重新安裝 Waymaker。',
    'doctor.installationOlder':
      '輔助服務未執行，因為這裡執行過更新的版本。請安裝該版本。如果確實要退回，請以 root 身分刪除 /var/lib/waymaker/version-floor。',
    'doctor.engine': '通道引擎',
    'doctor.engineOwn': 'Waymaker 內建的引擎。未安裝 openconnect；如果伺服器需要它，Waymaker 會提示。',
    'doctor.engineBoth': 'Waymaker 內建的引擎；伺服器需要時使用 openconnect',
    'doctor.engineOpenconnect': 'openconnect',
    'doctor.users': '系統使用者',
    'doctor.usersMissing': '缺少：{{users}}。請重新安裝 Waymaker。',
    'doctor.device': '通道裝置',
    'doctor.deviceMissing': '缺少 /dev/net/tun。請載入核心模組「tun」。',
    'doctor.deviceWithoutDriver':
      '無法開啟 /dev/net/tun，因為核心模組「tun」無法載入。如果核心剛剛更新過，請重新啟動電腦。',
    'doctor.disk': '磁碟空間',
    'doctor.diskFull':
      '{{folders}} 所在的磁碟已滿，無法儲存設定，也無法記錄中斷連線後需要還原的內容。請清理該磁碟。',
    'doctor.filter': '封包過濾器',
    'doctor.filterMissing': 'Waymaker 需要程式「nft」。請安裝 nftables，然後重試。',
    'doctor.filterAnchorMissing':
      '/etc/pf.conf 中的封包過濾規則沒有引用 Waymaker 的規則。請還原其中的「anchor "com.apple/*"」一行，然後重新啟動這部 Mac。',
    'doctor.filterEngineOff':
      'Windows 的「Base Filtering Engine」（BFE）服務沒有執行，輔助服務因此無法啟動。它可能被系統最佳化軟體關閉：請重新啟用，然後重新啟動電腦。',
    'doctor.resolver': 'DNS',
    'doctor.nameUnknown': '無法解析「{{host}}」。請檢查這部電腦的網路和 DNS 設定。',
    'doctor.clock': '時鐘',
    'doctor.clockWrong': '這部電腦的時鐘相差 {{minutes}} 分鐘，憑證和驗證碼可能會遭拒。請校正時間。',
    'doctor.wayOut': '連網方式',
    'doctor.wayOutDirect': '直接連線',
    'doctor.wayOutProxy': '透過代理伺服器 {{proxy}}',
    'doctor.wayOutRefused':
      '代理伺服器 {{proxy}} 需要使用者名稱和密碼，或不接受已提供的使用者名稱和密碼。請在終端機中執行「waymaker connect」，或在應用程式中連線，並輸入它們。',
    'doctor.wayOutScript': '依照系統所設的指令碼',
    'doctor.wayOutDiscovered': '系統設為在網路中尋找指令碼（WPAD），依照此網路提供的指令碼',
    'doctor.wayOutUndiscovered': '系統設為在網路中尋找指令碼（WPAD），此網路沒有可用的指令碼',
    'doctor.service': '服務',
    'doctor.serviceSilent': '「{{host}}」沒有回應。請檢查這部電腦的網路，或稍後再試。',
    'doctor.serviceUntrusted':
      '「{{host}}」的憑證不受這部電腦信任，因此沒有傳送任何資料。憑證可能遭安全軟體或此網路替換：請要求其管理者讓這部電腦信任它自己的憑證。',
    'doctor.serviceDates':
      '依這部電腦的時鐘，「{{host}}」的憑證已過期或尚未生效。請檢查這部電腦的日期和時間。',
    'doctor.gateway': '所選伺服器',
    'doctor.gatewaySilent': '{{server}} 沒有回應。請選擇其他伺服器。',
    'doctor.otherVpn': '其他 VPN',
    'doctor.otherVpnFound':
      '似乎有其他 VPN 正在執行（{{devices}}）。兩個 VPN 可能會互相改寫路由，請關閉其中一個。',
    'doctor.route': '路由',
    'doctor.routeWrong':
      '送往 {{address}} 的封包會從 {{device}} 送出，與連線狀態不符。請中斷連線，然後重新連線。',
    'doctor.probe': '實際流量',
    'doctor.probeSilent': '與服務的測試連線失敗。請檢查這部電腦的網路，或稍後再試。',
    'doctor.probeWrong': '有連線從 {{address}} 送出，與連線狀態不符。請中斷連線，然後重新連線。',
    'doctor.blockLeaks': '流量本應被封鎖，卻仍能送出。請執行「waymaker connect」，並回報此問題。',
    'doctor.networksMissing':
      '伺服器指定了 {{networks}} 個網段，只有 {{found}} 個走通道。請中斷連線，然後重新連線。',
    'doctor.proxy': '代理伺服器',
    'doctor.pacMissing': '無法讀取告知瀏覽器哪些網站走代理伺服器的檔案。請中斷連線，然後重新連線。',
    'doctor.proxySilent': '代理伺服器 {{address}} 沒有回應。請中斷連線，然後重新連線。',
    'doctor.proxyRouteWrong': '代理伺服器的流量會從 {{device}} 送出，而不走通道。請中斷連線，然後重新連線。',
    'doctor.proxyOpen': '代理伺服器應當拒絕「{{target}}」，卻沒有拒絕。請回報此問題。',
    'doctor.proxyCutOff': '無法透過代理伺服器連上服務。請中斷連線，然後重新連線。',
    'doctor.group': '所選應用程式',
    'doctor.groupRefused': '無法將程式加入所選應用程式。請中斷連線，然後重新連線。',
    'doctor.groupSilent': '所選應用程式中的程式無法連上服務。請中斷連線，然後重新連線。',
    'doctor.groupWrong':
      '所選應用程式中的程式從 {{address}} 送出流量，與您的選擇不符。請中斷連線，然後重新連線。',
    'doctor.system': '本系統',
    'doctor.systemUntried':
      '到目前為止，Waymaker 在本系統上的保護功能只在模型上試過，尚未在真實的電腦上試過。以系統管理員身分執行「waymaker self-test --report self-test.txt」可以在這裡測試。請在 Waymaker 的程式碼儲存庫中提交問題，並附上該報告。',
    'doctor.systemUnderWine':
      '到目前為止，Waymaker 在本系統上的保護功能只在模型上試過，其他部分在 wine 下試過，尚未在真實的電腦上試過。以系統管理員身分執行「waymaker self-test --report self-test.txt」可以在這裡測試。請在 Waymaker 的程式碼儲存庫中提交問題，並附上該報告。',
  },
};

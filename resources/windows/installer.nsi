; The installer for Windows. packaging/windows gives: TREE (the folder `core`, signed), perhaps WINDOW (the folder `window`,
; signed), VERSION, OUTPUT, ICON, SIZE (of all, in KiB), and what shortcut.nsh needs. With /S, nothing is asked or shown; the exit code is 0 once the new
; helper runs. With any other, what was installed before still runs, and install.log says why. With /OPEN, the window is
; open afterwards.
Unicode true
!ifdef FAST
  SetCompress off
!else
  ; Each file by itself: what a new version has unchanged has the same bytes in it, and is not downloaded again.
  SetCompressor lzma
!endif
!include FileFunc.nsh
!include LogicLib.nsh
!include WinMessages.nsh
!include WinVer.nsh
!include x64.nsh
!include shortcut.nsh

Name "Waymaker"
OutFile "${OUTPUT}"
Icon "${ICON}"
UninstallIcon "${ICON}"
!ifdef SIGN
  !uninstfinalize '${SIGN} "%1"' = 0
!endif
InstallDir "$PROGRAMFILES64\Waymaker"
RequestExecutionLevel admin
ManifestSupportedOS Win10
ShowInstDetails show
ShowUninstDetails show
AllowSkipFiles off
VIProductVersion "${VERSION}.0"
VIAddVersionKey CompanyName "Waymaker"
VIAddVersionKey ProductName "Waymaker"
VIAddVersionKey FileDescription "Installs Waymaker"
VIAddVersionKey FileVersion "${VERSION}"
VIAddVersionKey ProductVersion "${VERSION}"
VIAddVersionKey LegalCopyright "MIT licence"

Page instfiles
UninstPage uninstConfirm
UninstPage instfiles

; 1 if the window is to be open afterwards, because it was, or because it has started this installer.
Var Reopen
; The sessions in which it was.
Var Sessions

!define SCHEME "Software\Classes\waymaker"
; What Electron calls the entry with which a user has the window started at login.
!define LOGIN_ITEM "${APP_ID}"
!define RUN "Software\Microsoft\Windows\CurrentVersion"
!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\Waymaker"

!macro Note text
  DetailPrint "${text}"
  FileOpen $9 "$INSTDIR\install.log" a
  ${If} $9 != ""
    FileSeek $9 0 END
    FileWriteUTF16LE /BOM $9 "${text}$\r$\n"
    FileClose $9
  ${EndIf}
!macroend

; Runs a step of set-up-service.mjs in the folder; its exit code is in $0, and what it says in install.log.
!macro Step folder step
  nsExec::ExecToStack '"$INSTDIR\${folder}\node.exe" "$INSTDIR\${folder}\helper\set-up-service.mjs" ${step}'
  Pop $0
  Pop $1
  ${If} $0 != 0
    !insertmacro Note "${step}: $0 $1"
  ${EndIf}
!macroend

; Ends with 1, and says why.
!macro Fail text
  !insertmacro Note "${text}"
!ifndef __UNINSTALL__
  Call Reopen
!endif
  MessageBox MB_OK|MB_ICONSTOP "${text}" /SD IDOK
  SetErrorLevel 1
  Quit
!macroend

; Renames a folder; $3 is 1 if that was not possible. Virus scanners keep files open for some
; seconds after they are written, and after a program ends.
!macro Move from to
  StrCpy $2 0
  StrCpy $3 1
  ${DoWhile} $2 < 20
    ClearErrors
    Rename "${from}" "${to}"
    ${IfNot} ${Errors}
      StrCpy $3 0
      ${ExitDo}
    ${EndIf}
    IntOp $2 $2 + 1
    Sleep 500
  ${Loop}
!macroend

; What the environment has Node and OpenSSL load or write: it is that of the user, any of whose programs can have set it, and
; the steps run as an administrator.
!macro Unset name
  System::Call 'kernel32::SetEnvironmentVariableW(w "${name}", p 0)'
!macroend
!macro CleanEnvironment
  !insertmacro Unset NODE_OPTIONS
  !insertmacro Unset NODE_PATH
  !insertmacro Unset NODE_COMPILE_CACHE
  !insertmacro Unset NODE_ICU_DATA
  !insertmacro Unset NODE_EXTRA_CA_CERTS
  !insertmacro Unset NODE_REDIRECT_WARNINGS
  !insertmacro Unset NODE_V8_COVERAGE
  !insertmacro Unset NODE_DEBUG
  !insertmacro Unset NODE_DEBUG_NATIVE
  !insertmacro Unset NODE_REPL_EXTERNAL_MODULE
  !insertmacro Unset OPENSSL_CONF
  !insertmacro Unset OPENSSL_ENGINES
  !insertmacro Unset OPENSSL_MODULES
!macroend

; One at a time; also the uninstaller. A file that only administrators can make, and that nobody else can open meanwhile
; (GENERIC_WRITE, no sharing, CREATE_ALWAYS, FILE_FLAG_DELETE_ON_CLOSE); Windows removes it, however this program ends. A
; named mutex could be held by any user.
!macro Alone
  System::Call 'kernel32::CreateFileW(w "$INSTDIR.lock", i 0x40000000, i 0, p 0, i 2, i 0x04000000, p 0) p .r8 ?e'
  Pop $0
  ${If} $8 = -1
    ${If} $0 = 32
      MessageBox MB_OK|MB_ICONSTOP "Waymaker is being installed or removed already." /SD IDOK
    ${Else}
      MessageBox MB_OK|MB_ICONSTOP "$INSTDIR cannot be written to (error $0)." /SD IDOK
    ${EndIf}
    SetErrorLevel 1
    Quit
  ${EndIf}
!macroend

; Entries of users that are logged in, whose settings alone Windows has loaded: others' lead to a program that is gone,
; which Windows passes over.
!macro RemoveLoginItems
  StrCpy $4 0
  ${Do}
    EnumRegKey $5 HKU "" $4
    ${If} $5 == ""
      ${ExitDo}
    ${EndIf}
    DeleteRegValue HKU "$5\${RUN}\Run" "${LOGIN_ITEM}"
    DeleteRegValue HKU "$5\${RUN}\Explorer\StartupApproved\Run" "${LOGIN_ITEM}"
    IntOp $4 $4 + 1
  ${Loop}
!macroend

Function .onInit
  ${IfNot} ${RunningX64}
  ${OrIfNot} ${AtLeastWin10}
    MessageBox MB_OK|MB_ICONSTOP "Waymaker needs Windows 10 or later, with 64 bits." /SD IDOK
    SetErrorLevel 1
    Quit
  ${EndIf}
  SetShellVarContext all
  SetRegView 64
  !insertmacro CleanEnvironment
  ; Whoever could write elsewhere could have the service run anything.
  StrCpy $INSTDIR "$PROGRAMFILES64\Waymaker"
  !insertmacro Alone
  StrCpy $Reopen 0
  StrCpy $Sessions ""
  ${GetParameters} $0
  ClearErrors
  ${GetOptions} $0 "/OPEN" $1
  ${IfNot} ${Errors}
    StrCpy $Reopen 1
  ${EndIf}
FunctionEnd

; It could not unpack everything, and ends by itself: nothing else is left undone by NSIS.
Function .onInstFailed
  SetOutPath "$INSTDIR"
  Call Discard
  !insertmacro Note "The files of Waymaker could not be written. Is there room on the disk? Nothing has been changed."
  Call Reopen
  SetErrorLevel 1
FunctionEnd

; Removes what was unpacked.
Function Discard
  SetOutPath "$INSTDIR"
  RMDir /r "$INSTDIR\core.new"
  RMDir /r "$INSTDIR\window.new"
  Delete "$INSTDIR\uninstall.new.exe"
FunctionEnd

; The desktop starts it, with the rights of whoever is logged in there, and not with those of an administrator. A program that
; manages many computers has the system install, in a session of its own (0): what is started there is the system's, and
; nobody sees it. There, the system starts it as whoever had it open: it would else not connect again, nor put back what
; their proxy settings were.
Function Reopen
  System::Call 'kernel32::GetCurrentProcessId() i .r4'
  System::Call 'kernel32::ProcessIdToSessionId(i r4, *i .r5)'
  ${If} $Reopen = 1
  ${AndIf} ${FileExists} "${PROGRAM}"
    ${If} $5 <> 0
      Exec '"$WINDIR\explorer.exe" "${PROGRAM}"'
    ${ElseIf} $Sessions != ""
      !insertmacro Step core "open-window $Sessions"
    ${EndIf}
  ${EndIf}
FunctionEnd

Section
  CreateDirectory "$INSTDIR"
  Delete "$INSTDIR\install.log"
!ifndef WINDOW
  ; The window would not understand another version's helper.
  ${If} ${FileExists} "$INSTDIR\window\*"
    !insertmacro Fail "Waymaker is installed here with its window, which this installer has not. Use the one that has it."
  ${EndIf}
!endif
  ; An installer that was interrupted between its renames.
  ${IfNot} ${FileExists} "$INSTDIR\core\manifest.json"
  ${AndIf} ${FileExists} "$INSTDIR\core.old\manifest.json"
    RMDir /r "$INSTDIR\core"
    Rename "$INSTDIR\core.old" "$INSTDIR\core"
  ${EndIf}
  ${IfNot} ${FileExists} "$INSTDIR\window\manifest.json"
  ${AndIf} ${FileExists} "$INSTDIR\window.old\manifest.json"
    RMDir /r "$INSTDIR\window"
    Rename "$INSTDIR\window.old" "$INSTDIR\window"
  ${EndIf}
  RMDir /r "$INSTDIR\core.new"
  RMDir /r "$INSTDIR\core.old"
  RMDir /r "$INSTDIR\window.new"
  RMDir /r "$INSTDIR\window.old"

  ; All that needs room on the disk comes first: nothing of what is installed has been touched until it is there, and right.
  ClearErrors
  SetOutPath "$INSTDIR\core.new"
  File /r "${TREE}/*"
!ifdef WINDOW
  SetOutPath "$INSTDIR\window.new"
  File /r "${WINDOW}/*"
!endif
  WriteUninstaller "$INSTDIR\uninstall.new.exe"
  SetOutPath "$INSTDIR"
  ${If} ${Errors}
    Call Discard
    !insertmacro Fail "The files of Waymaker could not be written. Is there room on the disk? Nothing has been changed."
  ${EndIf}
  !insertmacro Step core.new check
!ifdef WINDOW
  ${If} $0 = 0
    !insertmacro Step core.new check-window
  ${EndIf}
!endif
  ${If} $0 != 0
    Call Discard
    !insertmacro Fail "This version of Waymaker cannot be installed here, see install.log in $INSTDIR. Nothing has been changed."
  ${EndIf}

  ; It runs from the files that are replaced.
  !insertmacro Step core.new find-window
  ${If} $0 = 0
  ${AndIf} $1 != ""
    StrCpy $Reopen 1
    StrCpy $Sessions $1
    MessageBox MB_OKCANCEL|MB_ICONINFORMATION "Waymaker is open. It is closed while it is updated, and then opened again." /SD IDOK IDOK +4
    Call Discard
    SetErrorLevel 1
    Quit
  ${EndIf}

  ; What the kill switch blocks stays blocked.
  !insertmacro Step core.new stop
  ${If} $0 != 0
    Call Discard
    Call TakeUp
    !insertmacro Fail "The service of Waymaker does not end. Restart the computer, and try again."
  ${EndIf}
  StrCpy $3 0
  ${If} ${FileExists} "$INSTDIR\window\*"
    !insertmacro Move "$INSTDIR\window" "$INSTDIR\window.old"
  ${EndIf}
  ; Nothing comes between these two: were the computer switched off meanwhile, it would have no service, and what the kill
  ; switch blocks could not be opened.
  ${If} $3 = 0
  ${AndIf} ${FileExists} "$INSTDIR\core\*"
    !insertmacro Move "$INSTDIR\core" "$INSTDIR\core.old"
  ${EndIf}
  ${If} $3 = 0
    !insertmacro Move "$INSTDIR\core.new" "$INSTDIR\core"
  ${EndIf}
!ifdef WINDOW
  ${If} $3 = 0
    !insertmacro Move "$INSTDIR\window.new" "$INSTDIR\window"
  ${EndIf}
!endif
  ${If} $3 <> 0
    Call PutBack
    !insertmacro Fail "Something still uses the files of Waymaker. Restart the computer, and try again."
  ${EndIf}
  !insertmacro Step core install
  ${If} $0 = 0
    !insertmacro Step core start
  ${EndIf}
  ${If} $0 != 0
    Call PutBack
    !insertmacro Fail "The service of Waymaker does not start, see install.log in $INSTDIR. What was installed before is there again."
  ${EndIf}

  Delete "$INSTDIR\uninstall.exe"
  Rename "$INSTDIR\uninstall.new.exe" "$INSTDIR\uninstall.exe"
  RMDir /r "$INSTDIR\core.old"
  RMDir /r "$INSTDIR\window.old"
!ifdef WINDOW
  !insertmacro MakeShortcut
  ${If} $7 != ""
    !insertmacro Note "The shortcut has no identity, so clicks on notifications may do nothing: $7"
  ${EndIf}
  WriteRegStr HKLM "${SCHEME}" "" "URL:Waymaker"
  WriteRegStr HKLM "${SCHEME}" "URL Protocol" ""
  WriteRegStr HKLM "${SCHEME}\DefaultIcon" "" "$INSTDIR\window\Waymaker.ico"
  ; What follows `--` cannot be a switch, whatever a link contains.
  WriteRegStr HKLM "${SCHEME}\shell\open\command" "" '"${PROGRAM}" -- "%1"'
  WriteRegStr HKLM "${UNINSTALL}" DisplayIcon "$INSTDIR\window\Waymaker.ico"
!endif
  !insertmacro Step core add-to-path
  SendMessage ${HWND_BROADCAST} ${WM_WININICHANGE} 0 "STR:Environment" /TIMEOUT=5000
  WriteRegStr HKLM "${UNINSTALL}" DisplayName "Waymaker"
  WriteRegStr HKLM "${UNINSTALL}" DisplayVersion "${VERSION}"
  WriteRegStr HKLM "${UNINSTALL}" Publisher "Waymaker"
  WriteRegStr HKLM "${UNINSTALL}" InstallLocation "$INSTDIR"
  WriteRegStr HKLM "${UNINSTALL}" UninstallString '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKLM "${UNINSTALL}" QuietUninstallString '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKLM "${UNINSTALL}" EstimatedSize ${SIZE}
  WriteRegDWORD HKLM "${UNINSTALL}" NoModify 1
  WriteRegDWORD HKLM "${UNINSTALL}" NoRepair 1
  !insertmacro Note "Waymaker ${VERSION} is installed."
  Call Reopen
  SetErrorLevel 0
SectionEnd

; Starts what is installed, if anything is.
Function TakeUp
  ${If} ${FileExists} "$INSTDIR\core\manifest.json"
    !insertmacro Step core install
    !insertmacro Step core start
  ${EndIf}
FunctionEnd

; Puts what was installed before into its place, and starts it; on a first installation, nothing is left.
Function PutBack
  ${If} ${FileExists} "$INSTDIR\core\manifest.json"
  ${AndIf} ${FileExists} "$INSTDIR\core.old\manifest.json"
    !insertmacro Step core stop
    !insertmacro Move "$INSTDIR\core" "$INSTDIR\core.new"
  ${EndIf}
  ${If} ${FileExists} "$INSTDIR\window.old\*"
    ${If} ${FileExists} "$INSTDIR\window\*"
      !insertmacro Move "$INSTDIR\window" "$INSTDIR\window.new"
    ${EndIf}
    !insertmacro Move "$INSTDIR\window.old" "$INSTDIR\window"
!ifdef WINDOW
  ${ElseIfNot} ${FileExists} "$INSTDIR\window.new\*"
    ; There was none before.
    RMDir /r "$INSTDIR\window"
!endif
  ${EndIf}
  ${If} ${FileExists} "$INSTDIR\core.old\manifest.json"
    !insertmacro Move "$INSTDIR\core.old" "$INSTDIR\core"
    !insertmacro Step core take-back
  ${ElseIfNot} ${FileExists} "$INSTDIR\uninstall.exe"
    !insertmacro Step core remove
    RMDir /r "$INSTDIR\core"
  ${EndIf}
  Call Discard
  Call TakeUp
FunctionEnd

Function un.onInit
  SetShellVarContext all
  SetRegView 64
  !insertmacro CleanEnvironment
  StrCpy $INSTDIR "$PROGRAMFILES64\Waymaker"
  !insertmacro Alone
FunctionEnd

Section Uninstall
  ; Apps put their users' proxy settings back once the connection is over, whether or not the kill switch is on; then they
  ; are ended.
  nsExec::ExecToStack '"$INSTDIR\core\node.exe" "$INSTDIR\core\helper\helper.mjs" --disconnect'
  Pop $0
  Pop $1
  !insertmacro Step core clear-proxies
  !insertmacro Step core stop
  ; Without it, nobody could open traffic again that the kill switch blocks.
  nsExec::ExecToStack '"$INSTDIR\core\node.exe" "$INSTDIR\core\helper\helper.mjs" --restore'
  Pop $0
  Pop $1
  ${If} $0 != 0
    !insertmacro Note "restore: $0 $1"
    !insertmacro Step core install
    !insertmacro Step core start
    !insertmacro Fail "Traffic may still be blocked, so nothing was removed. Install this version of Waymaker again, then remove it."
  ${EndIf}
  !insertmacro Step core remove
  ${If} $0 != 0
    !insertmacro Fail "The service of Waymaker could not be removed. Restart the computer, and try again."
  ${EndIf}
  !insertmacro Step core remove-from-path
  !insertmacro Step core forget
  SendMessage ${HWND_BROADCAST} ${WM_WININICHANGE} 0 "STR:Environment" /TIMEOUT=5000
  DeleteRegKey HKLM "${UNINSTALL}"
  DeleteRegKey HKLM "${SCHEME}"
  !insertmacro RemoveShortcuts
  !insertmacro RemoveLoginItems
  SetOutPath "$TEMP"
  RMDir /r "$INSTDIR\core"
  RMDir /r "$INSTDIR\core.old"
  RMDir /r "$INSTDIR\core.new"
  RMDir /r "$INSTDIR\window"
  RMDir /r "$INSTDIR\window.old"
  RMDir /r "$INSTDIR\window.new"
  Delete "$INSTDIR\install.log"
  Delete "$INSTDIR\uninstall.new.exe"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  SetErrorLevel 0
SectionEnd

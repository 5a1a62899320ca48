; The installer for Windows. packaging/windows gives: TREE (the folder `core`, signed), BIN (the folder `bin`), VERSION,
; OUTPUT, SIZE (of all, in KiB). With /S, nothing is asked or shown; the exit code is 0 once the new helper runs. With
; any other, what was installed before still runs, and install.log says why.
Unicode true
!ifdef FAST
  SetCompress off
!else
  SetCompressor /SOLID lzma
!endif
!include LogicLib.nsh
!include WinMessages.nsh
!include WinVer.nsh
!include x64.nsh

Name "Waymaker"
OutFile "${OUTPUT}"
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
VIAddVersionKey ProductName "Waymaker"
VIAddVersionKey FileDescription "Installs Waymaker"
VIAddVersionKey FileVersion "${VERSION}"
VIAddVersionKey ProductVersion "${VERSION}"
VIAddVersionKey LegalCopyright "MIT licence"

Page instfiles
UninstPage uninstConfirm
UninstPage instfiles

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

; One at a time; also the uninstaller.
!macro Alone
  System::Call 'kernel32::CreateMutexW(p 0, i 0, w "Global\WaymakerInstaller") p .r8 ?e'
  Pop $0
  ${If} $0 = 183
    MessageBox MB_OK|MB_ICONSTOP "Waymaker is being installed or removed already." /SD IDOK
    SetErrorLevel 1
    Quit
  ${EndIf}
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
FunctionEnd

; It could not unpack everything, and ends by itself: nothing else is left undone by NSIS.
Function .onInstFailed
  SetOutPath "$INSTDIR"
  RMDir /r "$INSTDIR\core.new"
  Delete "$INSTDIR\uninstall.new.exe"
  !insertmacro Note "The files of Waymaker could not be written. Is there room on the disk? Nothing has been changed."
  SetErrorLevel 1
FunctionEnd

Section
  CreateDirectory "$INSTDIR"
  Delete "$INSTDIR\install.log"
  ; An installer that was interrupted between its two renames.
  ${IfNot} ${FileExists} "$INSTDIR\core\manifest.json"
  ${AndIf} ${FileExists} "$INSTDIR\core.old\manifest.json"
    RMDir /r "$INSTDIR\core"
    Rename "$INSTDIR\core.old" "$INSTDIR\core"
  ${EndIf}
  RMDir /r "$INSTDIR\core.new"
  RMDir /r "$INSTDIR\core.old"

  ; All that needs room on the disk comes first: nothing of what is installed has been touched until it is there, and right.
  ClearErrors
  SetOutPath "$INSTDIR\core.new"
  File /r "${TREE}/*"
  SetOutPath "$INSTDIR\bin"
  File /r "${BIN}/*"
  WriteUninstaller "$INSTDIR\uninstall.new.exe"
  SetOutPath "$INSTDIR"
  ${If} ${Errors}
    RMDir /r "$INSTDIR\core.new"
    Delete "$INSTDIR\uninstall.new.exe"
    !insertmacro Fail "The files of Waymaker could not be written. Is there room on the disk? Nothing has been changed."
  ${EndIf}
  !insertmacro Step core.new check
  ${If} $0 != 0
    RMDir /r "$INSTDIR\core.new"
    Delete "$INSTDIR\uninstall.new.exe"
    !insertmacro Fail "This version of Waymaker cannot be installed here, see install.log in $INSTDIR. Nothing has been changed."
  ${EndIf}

  ; What the kill switch blocks stays blocked.
  !insertmacro Step core.new stop
  ${If} $0 != 0
    RMDir /r "$INSTDIR\core.new"
    Delete "$INSTDIR\uninstall.new.exe"
    Call TakeUp
    !insertmacro Fail "The service of Waymaker does not end. Restart the computer, and try again."
  ${EndIf}
  StrCpy $3 0
  ${If} ${FileExists} "$INSTDIR\core\*"
    !insertmacro Move "$INSTDIR\core" "$INSTDIR\core.old"
  ${EndIf}
  ${If} $3 = 0
    !insertmacro Move "$INSTDIR\core.new" "$INSTDIR\core"
  ${EndIf}
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
  ${If} ${FileExists} "$INSTDIR\core.old\manifest.json"
    !insertmacro Move "$INSTDIR\core.old" "$INSTDIR\core"
    !insertmacro Step core take-back
  ${ElseIfNot} ${FileExists} "$INSTDIR\uninstall.exe"
    !insertmacro Step core remove
    RMDir /r "$INSTDIR\core"
    RMDir /r "$INSTDIR\bin"
  ${EndIf}
  RMDir /r "$INSTDIR\core.new"
  Delete "$INSTDIR\uninstall.new.exe"
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
  SetOutPath "$TEMP"
  RMDir /r "$INSTDIR\core"
  RMDir /r "$INSTDIR\core.old"
  RMDir /r "$INSTDIR\core.new"
  RMDir /r "$INSTDIR\bin"
  Delete "$INSTDIR\install.log"
  Delete "$INSTDIR\uninstall.new.exe"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  SetErrorLevel 0
SectionEnd

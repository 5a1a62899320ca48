; The app's shortcut in the Start menu, and by what Windows tells the app from others: a name (AppUserModelID), which the app
; gives itself, too, and the class that Windows asks for when somebody clicks a notification. Only with both do clicks reach
; the app, is there one entry in Windows' settings of notifications, and one icon in the taskbar. packaging/windows gives:
; APP_ID, TOAST_ACTIVATOR.
!include Win\COM.nsh
!include Win\Propkey.nsh

!define PROGRAM "$INSTDIR\window\Waymaker.exe"
!define SHORTCUT "$SMPROGRAMS\Waymaker.lnk"
; winnt.h
!define FILE_ATTRIBUTE_REPARSE_POINT 0x400
!define ProcessRedirectionTrustPolicy 16
!define EnforceRedirectionTrust 1
!define PROFILES "Software\Microsoft\Windows NT\CurrentVersion\ProfileList"

; Sets a property of the link whose IPropertyStore is in $1 to what $4 points to; adds to $7 what went wrong.
!macro SetProperty key type
  System::Call '*${SYSSTRUCT_PROPERTYKEY}(${key})p.r2'
  System::Call '*(&i2 ${type}, &i6 0, p r4, p 0)p.r3'
  ${IPropertyStore::SetValue} $1 '(r2, r3).r5'
  ${If} $5 <> 0
    StrCpy $7 "$7 $5"
  ${EndIf}
  System::Free $2
  System::Free $3
  System::Free $4
!macroend

; A shortcut is there afterwards in any case; $7 says what went wrong with its identity, and is empty otherwise.
!macro MakeShortcut
  StrCpy $7 ""
  StrCpy $6 1
  !insertmacro ComHlpr_CreateInProcInstance ${CLSID_ShellLink} ${IID_IShellLink} r0 ""
  ${If} $0 P<> 0
    ${IShellLink::SetPath} $0 '("${PROGRAM}")'
    ${IShellLink::SetWorkingDirectory} $0 '("$INSTDIR\window")'
    ${IShellLink::SetIconLocation} $0 '("$INSTDIR\window\Waymaker.ico", 0)'
    ${IUnknown::QueryInterface} $0 '("${IID_IPropertyStore}", .r1)'
    ${If} $1 P<> 0
      System::Call '*(&w260 "${APP_ID}")p.r4'
      !insertmacro SetProperty `${PKEY_AppUserModel_ID}` ${VT_LPWSTR}
      System::Call '*(&g16 "${TOAST_ACTIVATOR}")p.r4'
      !insertmacro SetProperty `${PKEY_AppUserModel_ToastActivatorCLSID}` ${VT_CLSID}
      ${IPropertyStore::Commit} $1 '()'
      ${IUnknown::Release} $1 ""
    ${Else}
      StrCpy $7 "no properties"
    ${EndIf}
    ${IUnknown::QueryInterface} $0 '("${IID_IPersistFile}", .r1)'
    ${If} $1 P<> 0
      ${IPersistFile::Save} $1 '("${SHORTCUT}", 1).r6'
      ${IUnknown::Release} $1 ""
    ${EndIf}
    ${IUnknown::Release} $0 ""
  ${EndIf}
  ${If} $6 <> 0
    StrCpy $7 "not saved: $6"
    CreateShortcut "${SHORTCUT}" "${PROGRAM}" "" "$INSTDIR\window\Waymaker.ico"
  ${EndIf}
!macroend

; Goes on into a folder of a user's, from $7; $8 is 1 from then on if it is not there, or leads elsewhere.
!macro EnterFolder name
  StrCpy $7 "$7\${name}"
  System::Call 'kernel32::GetFileAttributesW(w r7) i.r2'
  IntOp $2 $2 & ${FILE_ATTRIBUTE_REPARSE_POINT}
  ${If} $2 <> 0
    StrCpy $8 1
  ${EndIf}
!macroend

; With what Electron adds for each user who gets a notification: a shortcut of the same name, and the program of the class.
; Of users who are not logged in, Windows has not loaded the settings, and an entry stays that leads nowhere.
; A user can have a folder lead anywhere, and would choose what an administrator removes then
; (https://www.zerodayinitiative.com/blog/2022/3/16/abusing-arbitrary-file-deletes-to-escalate-privilege-and-other-great-tricks).
; Recent Windows does not follow such folders, if it is asked not to; on any, those that lead elsewhere are left alone.
!macro RemoveShortcuts
  System::Call 'kernel32::SetProcessMitigationPolicy(i ${ProcessRedirectionTrustPolicy}, *i ${EnforceRedirectionTrust}, i 4)'
  Delete "${SHORTCUT}"
  StrCpy $4 0
  ${Do}
    EnumRegKey $5 HKLM "${PROFILES}" $4
    ${If} $5 == ""
      ${ExitDo}
    ${EndIf}
    ReadRegStr $6 HKLM "${PROFILES}\$5" ProfileImagePath
    ExpandEnvStrings $6 $6
    StrCpy $7 "$6"
    StrCpy $8 0
    !insertmacro EnterFolder "AppData"
    !insertmacro EnterFolder "Roaming"
    !insertmacro EnterFolder "Microsoft"
    !insertmacro EnterFolder "Windows"
    !insertmacro EnterFolder "Start Menu"
    !insertmacro EnterFolder "Programs"
    ${If} $6 != ""
    ${AndIf} $8 = 0
      Delete "$7\Waymaker.lnk"
    ${EndIf}
    IntOp $4 $4 + 1
  ${Loop}
  StrCpy $4 0
  ${Do}
    EnumRegKey $5 HKU "" $4
    ${If} $5 == ""
      ${ExitDo}
    ${EndIf}
    DeleteRegKey HKU "$5\Software\Classes\CLSID\${TOAST_ACTIVATOR}"
    IntOp $4 $4 + 1
  ${Loop}
!macroend

# What the desktop packages' scripts of both formats do.
folder=/opt/Waymaker

# Chromium's own sandbox program, for systems on which no user may make namespaces. Without it, the app would not start there.
let_sandbox_start() {
    if [ -e "$folder/chrome-sandbox" ]; then chmod 4755 "$folder/chrome-sandbox"; fi
}

# The app would go on with files that are gone. The window for tests runs on the runtime of waymaker-core, as others do.
end_window() {
    for process in /proc/[0-9]*; do
        if [ "$process/exe" -ef "$folder/waymaker" ] ||
            { [ "$process/exe" -ef /usr/lib/waymaker/node ] && grep -q -a "$folder/" "$process/cmdline"; }; then
            kill "${process#/proc/}" 2> /dev/null || :
        fi
    done
}

# What the packages' scripts of both formats do. They run again after an interruption: each step may find its work done.
folder=/usr/lib/waymaker
unit=waymaker-helper.service
name=waymaker-core

say() {
    echo "$name: $*" >&2
}

# Whether systemd is process 1 here (sd_booted(3)).
has_systemd() {
    [ -d /run/systemd/system ]
}

make_accounts() {
    systemd-sysusers waymaker.conf || {
        say "the accounts waymaker-engine and waymaker-proxy could not be created: see the line above."
        return 1
    }
}

# Debian's administrators forbid starts by policy-rc.d, which only this command asks.
start_unit() {
    if command -v deb-systemd-invoke > /dev/null; then
        deb-systemd-invoke "$1" "$unit"
    else
        systemctl "$1" "$unit"
    fi
}

# $1: `first` for a first installation, `again` where the files are others now, `back` where they are the same. A helper
# that runs is replaced in one go: what it blocks stays blocked.
start_helper() {
    if [ "$1" = first ]; then
        systemctl --quiet enable "$unit" || say "$unit could not be enabled: the helper does not start at boot."
    fi
    if ! has_systemd; then
        say "systemd does not run here, so the helper was not started; it starts with the next boot under systemd."
        return 0
    fi
    systemctl daemon-reload
    action=restart
    # One that runs has lost nothing: its users stay connected.
    if [ "$1" = back ]; then action=start; fi
    if [ "$1" != first ] && ! systemctl --quiet is-enabled "$unit"; then
        # Whoever has disabled it may have started it by hand: it would go on with files that are gone.
        if [ "$1" = back ] || ! systemctl --quiet is-active "$unit"; then return 0; fi
    fi
    start_unit "$action" > /dev/null ||
        say "the helper could not be started, so there are no tunnels yet: journalctl --unit $unit says why."
}

# Ends the helper and undoes all that it has changed, with its own program: the user would be cut off without it.
open_traffic() {
    if has_systemd; then systemctl stop "$unit" || :; fi
    problem=$("$folder/node" "$folder/helper/helper.mjs" --restore 2>&1 > /dev/null) || {
        [ -z "$problem" ] || echo "$problem" >&2
        say "traffic may still be blocked, so nothing was removed. Install this version of $name again, then remove it."
        return 1
    }
}

# Users' background processes: they would go on with programs that are gone. By file, as others may be called the same; of
# those from before an upgrade, only the file's name is left, which means another file in a container.
end_programs() {
    for process in /proc/[0-9]*; do
        if [ "$process/exe" -ef "$folder/node" ]; then end_program "$process"; fi
    done
    for file in $(find /proc/[0-9]*/exe -maxdepth 0 -lname "$folder/node (deleted)" 2> /dev/null || :); do
        process=${file%/exe}
        if [ "$process/ns/mnt" -ef /proc/self/ns/mnt ]; then end_program "$process"; fi
    done
}

end_program() {
    kill "${1#/proc/}" 2> /dev/null || :
}

# What users' proxy settings were before is in their own files, which their own programs read; see src/main/cli/removal.ts.
# The windows were ended before, the kill switch has background processes keep the settings, and nobody may be logged in.
put_back_proxies() {
    for id in $(users_with_profile); do
        entry=$(timeout --signal=KILL 10 getent passwd "$id") || continue
        if ! as_user "$entry" "$folder/node" "$folder/app/cli.js" put-back-proxies; then
            say "the proxy settings of ${entry%%:*} may still point at Waymaker: they are among the desktop's settings."
        fi
    done
}

# Local accounts, and whoever is logged in, in whose homes root may not be able to look. A home may be on a file system that
# never answers.
users_with_profile() {
    {
        getent -s files passwd | while IFS=: read -r _ _ id _ _ home _; do
            if timeout --signal=KILL 5 test -d "$home/.config/Waymaker"; then echo "$id"; fi
        done
        ls /run/user 2> /dev/null || :
    } | sort -u
}

# $1: a line of passwd; then a command, with nothing of root's: in a session of its own, it cannot type into root's terminal.
as_user() {
    IFS=: read -r user _ id group _ home _ << END
$1
END
    shift
    runtime=/run/user/$id
    if [ -S "$runtime/bus" ]; then
        set -- env "XDG_RUNTIME_DIR=$runtime" "DBUS_SESSION_BUS_ADDRESS=unix:path=$runtime/bus" "$@"
    elif command -v dbus-run-session > /dev/null; then
        # GNOME's settings are written by a program that a message bus starts.
        set -- dbus-run-session -- "$@"
    fi
    timeout --kill-after=5 60 setsid --wait setpriv --reuid="$id" --regid="$group" --init-groups \
        env -i "HOME=$home" "USER=$user" "LOGNAME=$user" PATH=/usr/local/bin:/usr/bin:/bin "$@" < /dev/null > /dev/null 2>&1
}

# The helper's control groups, once nothing runs in them.
remove_groups() {
    find /sys/fs/cgroup/waymaker /sys/fs/cgroup/unified/waymaker -depth -type d -exec rmdir {} + 2> /dev/null || :
}

forget_units() {
    if has_systemd; then systemctl daemon-reload || :; fi
}

# What the helper has recorded, and the accounts. Files of users are theirs: `waymaker reset` removes them.
purge() {
    rm -rf /var/lib/waymaker
    # Until here, it says for the next installation whether the administrator wants the helper at boot.
    rm -f "/etc/systemd/system/multi-user.target.wants/$unit"
    for account in waymaker-engine waymaker-proxy; do
        if getent passwd "$account" > /dev/null; then userdel "$account" || :; fi
    done
    if getent group waymaker > /dev/null; then groupdel waymaker || :; fi
}

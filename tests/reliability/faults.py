"""Runs the program with a fault at one chosen file-system call: strace kills it there, or has the call fail as on a full disk.

strace counts the calls of each thread and each kind by themselves, so that a call is known by its name and its number.
A first run under strace tells which calls there are; only those that change files count.
"""

import dataclasses
import itertools
import os
import pathlib
import re
import shutil
import subprocess

CHANGING = ('openat', 'write', 'writev', 'pwrite64', 'fsync', 'fdatasync', 'ftruncate', 'fallocate', 'copy_file_range', 'sendfile',
            'rename', 'renameat', 'renameat2', 'link', 'linkat', 'symlink', 'symlinkat', 'unlink', 'unlinkat', 'rmdir', 'mkdir',
            'mkdirat')
# What fails where the disk is full.
NEEDING_ROOM = ('openat', 'write', 'writev', 'pwrite64', 'fsync', 'fdatasync', 'ftruncate', 'fallocate', 'copy_file_range',
                'sendfile', 'rename', 'renameat', 'renameat2', 'link', 'linkat', 'symlink', 'symlinkat', 'mkdir', 'mkdirat')
# These may also write to pipes and terminals; strace shows where a descriptor leads.
USING_DESCRIPTORS = ('write', 'writev', 'fsync', 'fdatasync', 'ftruncate')
TIMEOUT = 120
# A machine that is full of other work must not change which calls are made: one thread, and no other environment.
ENVIRONMENT = {'PATH': os.environ['PATH'], 'LANG': 'C.UTF-8', 'HF_HOME': '/nonexistent'}


@dataclasses.dataclass(frozen=True)
class FileCall:
    name: str
    number: int
    text: str = dataclasses.field(compare=False)  # the call as strace shows it, for messages

    def __str__(self):
        return f'{self.name} {self.number}: {self.text}'


def run(arguments, folder, *strace):
    return subprocess.run([*strace, os.environ['PALIMPSEST'], *map(str, arguments)], cwd=folder, capture_output=True, text=True,
                          encoding='utf-8', errors='replace', check=False, timeout=TIMEOUT, env=ENVIRONMENT, stdin=subprocess.DEVNULL)


def strace(log, *options):
    return ('strace', '-f', '-qq', '-y', '-s', '0', '-e', 'signal=none', '-o', str(log), *options)


def is_possible():
    """Whether there is a strace here that may trace."""
    return shutil.which('strace') is not None and subprocess.run(['strace', '-qq', '-o', '/dev/null', 'true'], capture_output=True,
                                                                 check=False).returncode == 0


def changes_files(call, text, folder):
    """Whether the call changes a file or folder of the run; opening a file to read it does not."""
    if call == 'openat' and 'O_CREAT' not in text and 'O_TRUNC' not in text:
        return False
    return call not in USING_DESCRIPTORS or str(folder) in text


def file_calls(arguments, folder):
    """The calls of an undisturbed run that change files, in their order; the run's own result is left in the folder."""
    log = pathlib.Path(f'{folder}.strace')
    done = run(arguments, folder, *strace(log, '-e', 'trace=' + ','.join(CHANGING)))
    if done.returncode != 0:
        raise AssertionError(f'the undisturbed run failed: {done.stderr}')
    counts, found, program = {}, [], None
    for line in log.read_text(encoding='utf-8', errors='replace').splitlines():
        match = re.match(r'(\d+) +(\w+)(\(.*)', line)
        if match is None:
            continue
        thread, call, text = match.groups()
        program = program or thread
        counts[thread, call] = counts.get((thread, call), 0) + 1
        if not changes_files(call, text, folder):
            continue
        if thread != program:
            raise AssertionError(f'a thread of its own writes files, which these tests do not reach: {line}')
        found.append(FileCall(call, counts[thread, call], text.replace(str(folder), '')))
    log.unlink()
    return without_repeats(found)


def target_of(call):
    """What a write goes to, as strace shows it: 3</out/.mia.json.partial>."""
    return call.text.partition(',')[0] if call.name == 'write' else None


def without_repeats(found):
    """Of more than three writes to one file in a row, the first, one in the middle and the last: a file that is being written
    has another name than the result, and how much of it is there makes no difference."""
    kept = []
    for target, group in itertools.groupby(found, key=target_of):
        row = list(group)
        kept += row if target is None or len(row) <= 3 else [row[0], row[len(row) // 2], row[-1]]
    return kept


def killed_at(call, arguments, folder):
    """False if the run never came to that call."""
    log = pathlib.Path(f'{folder}.strace')
    done = run(arguments, folder, *strace(log, '-e', f'trace={call.name}', '-e',
                                          f'inject={call.name}:signal=KILL:when={call.number}'))
    log.unlink()
    return done.returncode in (-9, 137)


def without_room_at(call, arguments, folder):
    """The finished run, or None if it never came to that call."""
    log = pathlib.Path(f'{folder}.strace')
    done = run(arguments, folder, *strace(log, '-e', f'trace={call.name}', '-e',
                                          f'inject={call.name}:error=ENOSPC:when={call.number}'))
    hit = '(INJECTED)' in log.read_text(encoding='utf-8', errors='replace')
    log.unlink()
    return done if hit else None

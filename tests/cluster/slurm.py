"""A Slurm of its own on this machine: munged, slurmctld and two slurmd, in a temporary folder.

Nothing of the machine's own Slurm or MUNGE is used or changed: the daemons have a configuration, a key, sockets and ports
of their own. They run in the foreground as children of the test, so that they end with it, and the folder is removed.
"""

import contextlib
import getpass
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import time

NODES = ('node1', 'node2')
CPUS_PER_NODE = 4  # what Slurm is told; the machine may have fewer
PATH = os.environ['PATH'] + ':/usr/sbin:/sbin'
FINISHED = {'COMPLETED', 'FAILED', 'CANCELLED', 'TIMEOUT', 'NODE_FAIL', 'OUT_OF_MEMORY', 'BOOT_FAIL', 'DEADLINE'}

# Two nodes on one machine: %n in a path is the name of the node. Without TmpFS both would make the same folder for PMIx.
# A job that is requeued waits until its credential has expired: two minutes, unless cred_expire says less.
CONFIGURATION = '''
ClusterName=palimpsest-test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
TmpFS={folder}/tmp-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=5
MinJobAge=3600
'''


class SlurmError(Exception):
    pass


def free_ports(count):
    """Ports that nobody listens on now; they are looked for together, so that they differ."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(('127.0.0.1', 0))
        return [one.getsockname()[1] for one in sockets]


class Slurm:
    """Started by `with`. `environment` is what a command needs to reach it."""

    def __init__(self):
        self.environment = {}
        self.folder = None
        self._daemons = []
        self._holder = None

    def __enter__(self):
        self._holder = tempfile.TemporaryDirectory(prefix='palimpsest-slurm-')
        self.folder = pathlib.Path(self._holder.name)
        self.environment = {'SLURM_CONF': str(self.folder / 'slurm.conf'), 'PATH': PATH}
        try:
            self._configure()
            self._start()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, *_):
        self._stop()

    def _configure(self):
        host = socket.gethostname().partition('.')[0]
        controller_port, *ports = free_ports(1 + len(NODES))
        lines = CONFIGURATION.format(host=host, controller_port=controller_port, user=getpass.getuser(), folder=self.folder)
        for node, port in zip(NODES, ports):
            lines += f'NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={CPUS_PER_NODE} RealMemory=1\n'
        lines += f'PartitionName=main Nodes={",".join(NODES)} Default=YES State=UP\n'
        (self.folder / 'slurm.conf').write_text(lines, encoding='utf-8')
        for name in ('state', *(f'{kind}-{node}' for kind in ('spool', 'tmp') for node in NODES)):
            (self.folder / name).mkdir()
        key = self.folder / 'munge.key'
        key.touch(mode=0o600)
        key.write_bytes(os.urandom(128))

    def _start(self):
        # --force: the folder is nobody else's, which munged takes for a mistake.
        munge = [f'--{name}-file={self.folder}/munge.{name}' for name in ('key', 'pid', 'log', 'seed')]
        self._daemon('munged', '--foreground', '--force', f'--socket={self.folder}/munge.socket', *munge)
        self._wait('munged does not answer', 20, (self.folder / 'munge.socket').exists)
        self._daemon('slurmctld', '-D')
        for node in NODES:
            self._daemon('slurmd', '-D', '-N', node)
        self._wait('the nodes are not ready', 60, lambda: self._states() == ['idle'] * len(NODES))

    def _daemon(self, *command):
        log = open(self.folder / f'{len(self._daemons)}-{command[0]}.err', 'wb')  # pylint: disable=consider-using-with
        with log:
            self._daemons.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,  # pylint: disable=consider-using-with
                                                  env=os.environ | self.environment))

    def _states(self):
        done = self.run('sinfo', '--noheader', '--Node', '--format=%T')
        return done.stdout.split() if done.returncode == 0 else []

    def _wait(self, failure, seconds, is_so):
        deadline = time.monotonic() + seconds
        while not is_so():
            ended = [daemon.args[0] for daemon in self._daemons if daemon.poll() is not None]
            if ended or time.monotonic() > deadline:
                raise SlurmError(f'{failure}{"; ended: " + ", ".join(ended) if ended else ""}\n{self.logs()}')
            time.sleep(0.1)

    def logs(self):
        """The ends of all logs, for a message."""
        files = sorted([*self.folder.glob('*.log'), *self.folder.glob('*.err')])
        return '\n'.join(f'-- {path.name}\n' + '\n'.join(path.read_text(errors='replace').splitlines()[-15:]) for path in files)

    def _stop(self):
        try:
            if len(self._daemons) > 1:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._cancel_jobs()
            for daemon in reversed(self._daemons):  # munged last
                daemon.terminate()
                try:
                    daemon.wait(timeout=20)
                except subprocess.TimeoutExpired:
                    daemon.kill()
                    daemon.wait()
            self._kill_left_over()
        finally:
            self._holder.cleanup()

    def _cancel_jobs(self):
        self.run('scancel', '--user', getpass.getuser())
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline and self.run('squeue', '--noheader').stdout.strip():
            time.sleep(0.2)

    def _kill_left_over(self):
        """Processes of jobs that did not end: slurmd's children survive it. Their environment names our folder."""
        mark = f'SLURM_CONF={self.folder}/'.encode()
        for entry in pathlib.Path('/proc').iterdir():
            if not entry.name.isdecimal() or int(entry.name) == os.getpid():
                continue
            with contextlib.suppress(OSError):
                if mark in (entry / 'environ').read_bytes():
                    os.kill(int(entry.name), signal.SIGKILL)

    def run(self, *command, timeout=60, cwd=None, **variables):
        """A command of Slurm, or one that calls them."""
        return subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, encoding='utf-8',
                              check=False, timeout=timeout, env=os.environ | self.environment | variables)

    def jobs(self, job):
        """What Slurm knows of a job, or of each task of an array: names and values."""
        done = self.run('scontrol', '--oneliner', 'show', 'job', job)
        if done.returncode != 0:
            raise SlurmError(f'job {job}: {done.stderr}\n{self.logs()}')
        return [dict(re.findall(r'(\S+?)=(\S*)', line)) for line in done.stdout.splitlines() if line.strip()]

    def wait_for(self, job, seconds=300):
        """The jobs, all of them finished."""
        self._wait(f'job {job} does not end', seconds, lambda: all(one['JobState'] in FINISHED for one in self.jobs(job)))
        return self.jobs(job)

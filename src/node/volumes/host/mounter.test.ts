import type { CommandOptions, Commands } from '../../../base/process/commands.js';
import { Mounter, type MountRequest } from './mounter.js';

/** Answers programs in memory. */
function recording(answer: { readonly code?: number; readonly stdout?: string; readonly stderr?: string; readonly timedOut?: boolean } = {}): { readonly mounter: Mounter; readonly calls: { readonly program: string; readonly args: readonly string[]; readonly input: string }[] } {
  const calls: { program: string; args: readonly string[]; input: string }[] = [];
  const commands: Commands = {
    run: (program: string, args: readonly string[], options: CommandOptions = {}) => {
      calls.push({ program, args, input: String(options.input ?? '') });
      return Promise.resolve({ code: answer.code ?? 0, stdout: Buffer.from(answer.stdout ?? ''), stderr: Buffer.from(answer.stderr ?? ''), timedOut: answer.timedOut ?? false });
    },
    start: () => Promise.reject(new Error('not used')),
    close: () => Promise.resolve(),
  };
  return { mounter: new Mounter(commands), calls };
}

const NFS: MountRequest = { type: 'nfs', source: 'server:/share', target: '/t', options: ['ro', 'nfsvers=4'] };

test('one mount is one program', async () => {
  const { mounter, calls } = recording();
  expect(await mounter.mount([NFS])).toEqual([undefined]);
  expect(calls).toEqual([{ program: 'mount', args: ['-t', 'nfs', '-o', 'ro,nfsvers=4', 'server:/share', '/t'], input: '' }]);
  expect(await mounter.mount([])).toEqual([]);
  expect(calls).toHaveLength(1);
});

test('several mounts are one shell, their arguments quoted, their failures told apart', async () => {
  const { mounter, calls } = recording({ stdout: '\x1e1 mount: no such\nserver' });
  const errors = await mounter.mount([{ type: 'bind', source: '/it\'s $HOME', target: '/a', options: ['ro'] }, NFS]);
  expect(calls).toHaveLength(1);
  expect(calls[0]!.input).toContain(`m '/' '-n' '--no-canonicalize' '-o' 'bind,ro' '/it'\\''s $HOME' '/a'\n`);
  expect(errors.map((error) => error?.message)).toEqual([undefined, 'mount of nfs at /t failed: mount: no such\nserver']);
});

test('a mount that hangs is given up', async () => {
  expect((await recording({ code: 137, timedOut: true }).mounter.mount([NFS]))[0]?.message).toBe('mount of nfs at /t failed: it did not end in time');
  expect((await recording({ code: 137, timedOut: true }).mounter.mount([NFS, NFS])).map((error) => error?.message)).toEqual(Array(2).fill('mount of nfs at /t failed: it did not end in time'));
});

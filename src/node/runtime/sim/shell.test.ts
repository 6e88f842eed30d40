import { planRun } from './shell.js';

const environment = { hostname: 'web-0', ip: '10.0.0.5', env: new Map([['NAME', 'kube']]) };

function shown(command: readonly string[]): unknown {
  const run = planRun(command, environment);
  return run && { out: run.outputs.map((output) => `${output.at}${output.stream === 'stderr' ? '!' : ' '}${output.text(0)}`), code: run.exitCode, ms: run.duration };
}

test.each<[readonly string[], unknown]>([
  [['true'], { out: [], code: 0, ms: 0 }],
  [['/bin/false'], { out: [], code: 1, ms: 0 }],
  [['echo', 'a', 'b c'], { out: ['0 a b c'], code: 0, ms: 0 }],
  [['sleep', '2'], { out: [], code: 0, ms: 2000 }],
  [['sleep', 'infinity'], { out: [], code: 0, ms: Infinity }],
  [['cat', '/etc/hostname'], { out: ['0 web-0'], code: 0, ms: 0 }],
  [['cat', '/nope'], { out: ['0!cat: /nope: No such file or directory'], code: 1, ms: 0 }],
  [['sh', '-c', 'exit 7'], { out: [], code: 7, ms: 0 }],
  [['sh', '-c', 'echo "hi $NAME" && sleep 1 && echo \'$NAME\' >&2; false || exit 3'], { out: ['0 hi kube', '1000!$NAME'], code: 3, ms: 1000 }],
  [['sh', '-c', 'false && echo no; echo yes > /dev/null'], { out: [], code: 0, ms: 0 }],
  [['/bin/sh', '-ec', 'echo $(hostname); # done'], { out: ['0 web-0'], code: 0, ms: 0 }],
  [['nginx', '-g', 'daemon off;'], undefined],
  [['sh', '-c', 'ls | wc'], undefined],
  [['sh', '-c', 'echo `date`'], undefined],
  [['sh'], undefined],
])('%j', (command, expected) => {
  expect(shown(command)).toEqual(expected);
});

test('an endless loop repeats its body', () => {
  const run = planRun(['sh', '-c', 'echo start; while true; do echo tick; sleep 5; done'], environment);
  expect(run).toMatchObject({ duration: Infinity, repeatEvery: 5000 });
});

test('a termination message is taken from the file', () => {
  expect(planRun(['sh', '-c', 'echo gone > /dev/termination-log; exit 1'], environment)).toMatchObject({ terminationMessage: 'gone\n', exitCode: 1 });
});

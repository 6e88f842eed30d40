import { once, readTarget } from './target.mjs';
import { prepare, SCENARIOS } from './scenarios.mjs';
import { native } from './native.mjs';
import { idle, scale, startUp } from './process.mjs';

const HELP = `scripts/bench --kubeconfig FILE [--vs FILE] [--only NAMES] [--scale N] [--json]
scripts/bench --own startup,idle,scale,native

  --kubeconfig FILE  server to measure; it should be fresh (the bench makes the namespace "bench")
  --vs FILE          a second server: each scenario runs on both in turn, and ratios are printed (above 1: the first is better)
  --only NAMES       of ${Object.keys(SCENARIOS).join(', ')} (default: creates,gets,patches,pods,lists,watches)
  --scale N          multiplies the numbers of requests (default 1)
  --own NAMES        starts this executable itself and measures start-up, idle cost (a minute), behaviour with 1,000 nodes and 5,000 pods, or with native
                     containers: starts, pods, commands, memory, idle cost (as root; needs a build)
  --json             one JSON document on stdout instead of the table`;

const options = { only: 'creates,gets,patches,pods,lists,watches', scale: 1 };
for (let i = 2; i < process.argv.length; i++) {
  const name = process.argv[i].replace(/^--/, '');
  if (['json', 'help'].includes(name)) options[name] = true;
  else options[name] = process.argv[++i];
}
if (options.help || (!options.own && !options.kubeconfig)) {
  console.log(HELP);
  process.exit(options.help ? 0 : 2);
}

const rows = [];
const say = (text) => process.stderr.write(`${text}\n`);
if (options.own) {
  for (const [name, measure] of Object.entries({ startup: startUp, idle, scale, native })) {
    if (options.own !== true && options.own !== undefined && !options.own.split(',').includes(name)) continue;
    say(`${name} …`);
    rows.push(...(await measure()));
  }
} else {
  const first = await readTarget(options.kubeconfig, options.kubeconfig);
  const second = options.vs ? await readTarget(options.vs, options.vs) : undefined;
  const targets = second ? [first, second] : [first];
  for (const target of targets) {
    const { status } = await once(target, 'GET', '/version');
    if (status !== 200) throw new Error(`${target.label}: /version answers ${status}`);
    await prepare(target);
  }
  for (const name of options.only.split(',')) {
    if (!SCENARIOS[name]) throw new Error(`there is no scenario ${name}; see --help`);
    const results = [];
    for (const target of targets) {
      say(`${name}: ${target.label} …`);
      results.push(await SCENARIOS[name](target, Number(options.scale)));
    }
    results[0].forEach((row, i) => {
      const other = results[1]?.[i].value;
      rows.push({ ...row, other, ratio: other === undefined ? undefined : row.better === 'more' ? row.value / other : other / row.value });
    });
  }
}

if (options.json) console.log(JSON.stringify({ rows }));
else {
  const number = (value) => (value >= 100 ? value.toFixed(0) : value.toFixed(1));
  for (const { name, value, unit, other, ratio } of rows) {
    const versus = other === undefined ? '' : `  vs ${number(other).padStart(8)} ${unit.padEnd(3)}  ratio ${ratio.toFixed(2)}`;
    console.log(`${name.padEnd(44)} ${number(value).padStart(8)} ${unit.padEnd(3)}${versus}`);
  }
}

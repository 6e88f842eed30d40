import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mismatch } from './replay.js';

/** Differences that are wanted, or known and not mended yet. The list may only shrink. */
export interface Explanation {
  /** The cases, by their ids; `*` stands for anything. */
  readonly cases: string;
  /** The lines of a {@link Mismatch} that this explains; `*` stands for anything. */
  readonly facts: readonly string[];
  /** In how many cases it explains something. A lower number is progress and is written down here; a higher one is a fault. */
  readonly count: number;
  readonly reason: string;
}

/** What is wrong: mismatches that nothing explains, and explanations whose `count` is not true any more. */
export interface Verdict {
  readonly unexplained: readonly string[];
  readonly wrongCounts: readonly string[];
}

/** The list in `explained.json`. */
export function readExplanations(): Explanation[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'explained.json'), 'utf8')) as Explanation[];
}

/** Holds the mismatches of a whole replay against the list. A fact needs one explanation; the facts of a case may have different ones. */
export function judge(mismatches: readonly Mismatch[], explanations: readonly Explanation[]): Verdict {
  const rules = explanations.map((explanation) => ({ explanation, cases: glob(explanation.cases), facts: explanation.facts.map(glob), found: 0 }));
  const unexplained: string[] = [];
  for (const { id, facts } of mismatches) {
    const used = new Set<(typeof rules)[number]>();
    const own = rules.filter(({ cases }) => cases.test(id));
    for (const fact of facts) {
      const rule = own.find((candidate) => candidate.facts.some((pattern) => pattern.test(fact)));
      if (rule) used.add(rule);
      else unexplained.push(`${id}\n    ${fact}`);
    }
    for (const rule of used) rule.found++;
  }
  const wrongCounts = rules
    .filter(({ explanation, found }) => found !== explanation.count)
    .map(({ explanation, found }) => `"${explanation.cases}" (${explanation.reason}) explains ${found} cases, not ${explanation.count}`);
  return { unexplained, wrongCounts };
}

function glob(pattern: string): RegExp {
  return new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`, 's');
}

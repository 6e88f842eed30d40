import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { factsOf, restore, type Difference, type Facts, type Flat } from './answer.mjs';
import { readManifests, requestOf, setUp, type Case, type CorpusRequest } from './corpus.mjs';

/** Answers a request: status code and decoded body. */
export type Ask = (request: CorpusRequest) => Promise<{ readonly status: number; readonly object: unknown }>;

/** One case that was answered in another way than the recorded server did. */
export interface Mismatch {
  readonly id: string;
  /** Lines `recorded -> ours`, one per fact. */
  readonly facts: readonly string[];
}

interface RecordedCase extends Case {
  readonly answer: { readonly code: number; readonly reason?: string; readonly message?: string; readonly causes?: readonly string[]; readonly object?: Difference };
}

const FOLDER = import.meta.dirname;

/** Brings a fresh server into the recorded state, asks every request of the corpus, and gives what differs. */
export async function replay(ask: Ask, wanted: (id: string) => boolean = () => true): Promise<{ readonly asked: number; readonly mismatches: readonly Mismatch[] }> {
  const manifests = readManifests(join(FOLDER, 'manifests.yaml'));
  const byKey = new Map(manifests.map((manifest) => [manifest.key, manifest]));
  const bases = JSON.parse(readFileSync(join(FOLDER, 'bases.json'), 'utf8')) as Record<string, Flat>;
  for (const request of setUp(manifests)) await ask(request);
  const mismatches: Mismatch[] = [];
  let asked = 0;
  for (const entry of readCases()) {
    if (!wanted(entry.id)) continue;
    asked++;
    const { status, object } = await ask(requestOf(entry, byKey.get(entry.manifest)!));
    const expected: Facts = entry.answer.object ? { code: entry.answer.code, object: restore(bases[entry.manifest]!, entry.answer.object) } : (entry.answer as Facts);
    const facts = compare(expected, factsOf(status, object));
    if (facts.length > 0) mismatches.push({ id: entry.id, facts });
  }
  return { asked, mismatches };
}

function readCases(): RecordedCase[] {
  const text = gunzipSync(readFileSync(join(FOLDER, 'cases.jsonl.gz'))).toString();
  return text.trim().split('\n').map((line) => JSON.parse(line) as RecordedCase);
}

function compare(expected: Facts, actual: Facts): string[] {
  const lines: string[] = [];
  const say = (name: string, recorded: unknown, ours: unknown): void => {
    if (recorded !== ours) lines.push(`${name}: ${recorded ?? 'absent'} -> ${ours ?? 'absent'}`);
  };
  say('code', expected.code, actual.code);
  say('reason', expected.reason, actual.reason);
  if (expected.causes || actual.causes) {
    const ours = new Set(actual.causes);
    const theirs = new Set(expected.causes);
    for (const cause of theirs) if (!ours.has(cause)) lines.push(`cause: ${cause} -> absent`);
    for (const cause of ours) if (!theirs.has(cause)) lines.push(`cause: absent -> ${cause}`);
  } else say('message', expected.message, actual.message);
  const paths = new Set([...Object.keys(expected.object ?? {}), ...Object.keys(actual.object ?? {})]);
  if (expected.object || actual.object) for (const path of paths) say(path, expected.object?.[path], actual.object?.[path]);
  return lines;
}

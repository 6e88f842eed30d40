import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { factsOf, restore, type Difference, type Facts, type Flat } from './answer.mjs';
import { readManifests, requestOf, setUp, type Case, type CorpusRequest, type Manifest } from './corpus.mjs';
import { fieldRequestOf, furtherSetUp, liveRequestOf, readFurther } from './fields.mjs';

/** Answers a request: status code, decoded body, and the texts of the warnings. */
export type Ask = (request: CorpusRequest) => Promise<{ readonly status: number; readonly object: unknown; readonly warnings?: readonly string[] }>;

/** One case that was answered in another way than the recorded server did. */
export interface Mismatch {
  readonly id: string;
  /** Lines `recorded -> ours`, one per fact. */
  readonly facts: readonly string[];
}

interface RecordedCase extends Case {
  readonly answer: { readonly code: number; readonly reason?: string; readonly message?: string; readonly causes?: readonly string[]; readonly object?: Difference; readonly warnings?: readonly string[] };
}

const FOLDER = import.meta.dirname;

/** What came of a replay. */
export interface Replayed {
  readonly asked: number;
  readonly mismatches: readonly Mismatch[];
}

/** Brings a fresh server into the recorded state, asks every request of both parts of the corpus, and gives what differs. */
export async function replay(ask: Ask, wanted: (id: string) => boolean = () => true): Promise<Replayed> {
  const manifests = readManifests(join(FOLDER, 'manifests.yaml'));
  for (const request of setUp(manifests)) await ask(request);
  const requests = await replayRequests(ask, manifests, wanted);
  const fields = await replayFields(ask, readFurther(manifests, join(FOLDER, 'further.yaml')), join(FOLDER, 'fields.jsonl.gz'), wanted);
  return { asked: requests.asked + fields.asked, mismatches: [...requests.mismatches, ...fields.mismatches] };
}

async function replayRequests(ask: Ask, manifests: readonly Manifest[], wanted: (id: string) => boolean): Promise<Replayed> {
  const byKey = new Map(manifests.map((manifest) => [manifest.key, manifest]));
  const bases = JSON.parse(readFileSync(join(FOLDER, 'bases.json'), 'utf8')) as Record<string, Flat>;
  const mismatches: Mismatch[] = [];
  let asked = 0;
  for (const entry of readCases(join(FOLDER, 'cases.jsonl.gz'))) {
    if (!wanted(entry.id)) continue;
    asked++;
    const { status, object } = await ask(requestOf(entry, byKey.get(entry.manifest)!));
    const expected: Facts = entry.answer.object ? { code: entry.answer.code, object: restore(bases[entry.manifest]!, entry.answer.object) } : (entry.answer as Facts);
    const facts = compare(expected, factsOf(status, object));
    if (facts.length > 0) mismatches.push({ id: entry.id, facts });
  }
  return { asked, mismatches };
}

/** The part of the corpus that changes fields one by one. The server is in the state that the set-up made; `file` has the cases. */
export async function replayFields(ask: Ask, manifests: readonly Manifest[], file: string, wanted: (id: string) => boolean): Promise<Replayed> {
  for (const request of furtherSetUp(manifests)) await ask(request);
  const byKey = new Map(manifests.map((manifest) => [manifest.key, manifest]));
  const bases = JSON.parse(readFileSync(join(FOLDER, 'field-bases.json'), 'utf8')) as Record<string, { readonly flat: Flat; readonly warnings: readonly string[] }>;
  const lives = new Map<string, unknown>();
  for (const manifest of manifests) if (!manifest.createOnly && !manifest.absent) lives.set(manifest.key, (await ask(liveRequestOf(manifest))).object);
  const mismatches: Mismatch[] = [];
  let asked = 0;
  for (const entry of readCases(file)) {
    if (!wanted(entry.id)) continue;
    asked++;
    const { answer } = entry;
    const base = bases[`${entry.manifest}|${entry.verb}`]!;
    const manifest = byKey.get(entry.manifest)!;
    let reply = await ask(fieldRequestOf(entry, manifest, lives.get(entry.manifest)));
    if (reply.status === 409 && answer.code !== 409 && lives.has(entry.manifest)) {
      // A controller of the server itself has written a status in the meantime.
      lives.set(entry.manifest, (await ask(liveRequestOf(manifest))).object);
      reply = await ask(fieldRequestOf(entry, manifest, lives.get(entry.manifest)));
    }
    const { status, object, warnings } = reply;
    const expected = answer.object ? { warnings: base.warnings, ...answer, object: restore(base.flat, answer.object) } : answer;
    const facts = compare(expected as Facts, factsOf(status, object, warnings));
    if (facts.length > 0) mismatches.push({ id: entry.id, facts });
  }
  return { asked, mismatches };
}

function readCases(file: string): RecordedCase[] {
  const text = gunzipSync(readFileSync(file)).toString();
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
  for (const text of expected.warnings ?? []) if (!actual.warnings?.includes(text)) lines.push(`warning: ${text} -> absent`);
  for (const text of actual.warnings ?? []) if (!expected.warnings?.includes(text)) lines.push(`warning: absent -> ${text}`);
  const paths = new Set([...Object.keys(expected.object ?? {}), ...Object.keys(actual.object ?? {})]);
  if (expected.object || actual.object) for (const path of paths) say(path, expected.object?.[path], actual.object?.[path]);
  return lines;
}

import type { Case, CorpusRequest, Manifest } from './corpus.mjs';

export function readFurther(manifests: readonly Manifest[], file: string): Manifest[];
export function furtherSetUp(manifests: readonly Manifest[]): CorpusRequest[];
export function liveRequestOf(manifest: Manifest): CorpusRequest;
export function fieldRequestOf(entry: Case, manifest: Manifest, live: unknown): CorpusRequest;

import { rm, open } from 'node:fs/promises';
import { errorMessage } from '../../../base/errors.js';
import { DigestVerifier, isDigest, sha256, verifyDigest } from '../digest.js';
import { ImageError, refused } from '../image-error.js';
import type { ImageLimits } from '../limits.js';
import { DOCKER, OCI, type Descriptor } from '../oci.js';
import type { ImageReference } from '../reference.js';
import type { Endpoint } from './endpoint.js';
import { readBody } from './http.js';
import { RegistryError } from './registry-error.js';
import type { Retry } from './retry.js';

const ACCEPT = [OCI.index, OCI.manifest, DOCKER.list, DOCKER.manifest, '*/*;q=0.1'].join(', ');

/** Told while blobs are on their way. */
export interface TransferEvents {
  bytes(current: number): void;
  retrying(message: string): void;
}

/** The repository of one image, at its mirrors and registry. Each thing is asked of them in turn until one has it; all content is verified. */
export class Repository {
  constructor(private readonly reference: ImageReference, private readonly endpoints: readonly Endpoint[], private readonly retry: Retry, private readonly limits: ImageLimits, private readonly signal: AbortSignal | undefined) {}

  /** The digest that a tag (or digest) stands for now, without its manifest; undefined when the registry does not tell. */
  async digest(tagOrDigest: string, events: TransferEvents): Promise<string | undefined> {
    return this.anywhere(async (endpoint) => {
      const response = await endpoint.get('HEAD', this.reference, `manifests/${tagOrDigest}`, { accept: ACCEPT }, this.signal);
      response.body.resume();
      const digest = response.headers['docker-content-digest'];
      return isDigest(digest) ? digest : undefined;
    }, events.retrying);
  }

  /** A manifest or index by tag or digest. */
  async manifest(tagOrDigest: string, events: TransferEvents): Promise<{ readonly bytes: Buffer; readonly digest: string }> {
    return this.anywhere(async (endpoint) => {
      const response = await endpoint.get('GET', this.reference, `manifests/${tagOrDigest}`, { accept: ACCEPT }, this.signal);
      const bytes = await readBody(response.body, this.limits.manifestBytes, `manifest ${tagOrDigest} of ${this.reference.repository}`);
      const said = response.headers['docker-content-digest'];
      const digest = tagOrDigest.includes(':') ? tagOrDigest : isDigest(said) ? said : sha256(bytes);
      verifyDigest(bytes, digest, `manifest ${tagOrDigest} of ${this.reference.repository}`);
      return { bytes, digest };
    }, events.retrying);
  }

  /** A small blob. */
  async blob(descriptor: Descriptor, limit: number, events: TransferEvents): Promise<Buffer> {
    return this.anywhere(async (endpoint) => {
      const response = await endpoint.get('GET', this.reference, `blobs/${descriptor.digest}`, {}, this.signal);
      const bytes = await readBody(response.body, Math.min(limit, descriptor.size), `blob ${descriptor.digest}`);
      verifyDigest(bytes, descriptor.digest, `blob ${descriptor.digest}`);
      return bytes;
    }, events.retrying);
  }

  /** Writes a blob into a new file. A broken transfer goes on where it stopped, also at another endpoint. */
  async download(descriptor: Descriptor, path: string, events: TransferEvents): Promise<void> {
    const file = await open(path, 'wx', 0o600);
    const what = `blob ${descriptor.digest}`;
    let at = 0;
    let verifier = new DigestVerifier(descriptor.digest);
    const restart = async (): Promise<void> => {
      at = 0;
      verifier = new DigestVerifier(descriptor.digest);
      await file.truncate(0);
    };
    let furthest = 0;
    const progressed = (): boolean => {
      const more = at > furthest;
      furthest = Math.max(furthest, at);
      return more;
    };
    try {
      await this.anywhere(async (endpoint) => {
        const response = await endpoint.get('GET', this.reference, `blobs/${descriptor.digest}`, at > 0 ? { range: `bytes=${at}-` } : {}, this.signal).catch(async (error: unknown) => {
          if (error instanceof RegistryError && error.status === 416) await restart();
          throw error;
        });
        // A server without ranges begins anew.
        if (at > 0 && !(response.status === 206 && response.headers['content-range']?.startsWith(`bytes ${at}-`))) {
          await restart();
          if (response.status === 206) {
            response.body.destroy();
            throw new RegistryError(`${what}: the registry sent another range than asked for`, 206, true);
          }
        }
        try {
          for await (const chunk of response.body as AsyncIterable<Buffer>) {
            if (at + chunk.length > descriptor.size) throw refused(`${what} has more than the ${descriptor.size} bytes that its manifest says`);
            for (let written = 0; written < chunk.length;) written += (await file.write(chunk, written, chunk.length - written, at + written)).bytesWritten;
            verifier.update(chunk);
            at += chunk.length;
            events.bytes(at);
          }
        } catch (error) {
          if (error instanceof ImageError || this.signal?.aborted) throw error;
          throw new RegistryError(`${what}: the connection broke after ${at} of ${descriptor.size} bytes: ${errorMessage(error)}`, 0, true, undefined, { cause: error });
        }
        if (at < descriptor.size) throw new RegistryError(`${what}: the connection ended after ${at} of ${descriptor.size} bytes`, 0, true);
        try {
          verifier.verify(what);
        } catch (error) {
          await restart();
          throw error;
        }
      }, events.retrying, progressed);
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
  }

  private async anywhere<T>(attempt: (endpoint: Endpoint) => Promise<T>, retrying: (message: string) => void, progressed?: () => boolean): Promise<T> {
    let last: unknown;
    for (const endpoint of this.endpoints) {
      const isLast = endpoint === this.endpoints.at(-1);
      try {
        // A mirror that fails is left for the next one at once.
        if (!isLast && !progressed) return await attempt(endpoint);
        return await this.retry.run(() => attempt(endpoint), { retry: (error, delay) => retrying(`${error.message}; next try in ${Math.round(delay / 100) / 10} s`), ...(progressed ? { progressed } : {}), ...(this.signal ? { signal: this.signal } : {}) });
      } catch (error) {
        this.signal?.throwIfAborted();
        last = error;
      }
    }
    throw last;
  }
}

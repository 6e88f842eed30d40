import type { Clock } from '../../base/clock.js';
import { errorCode, errorMessage } from '../../base/errors.js';
import { run } from '../../base/steps.js';
import { Thread } from '../../base/thread/thread.js';
import { isJsonToYaml } from '../../api/codec/decode-yaml.js';
import { encodeYaml } from '../../api/codec/encode-yaml.js';
import { internalError, requestEntityTooLargeError } from '../../api/status-error.js';
import type { ReadYaml, YamlAnswer, YamlQuestion } from './thread/questions.js';

/** The program of the thread as one script; the build puts it there. */
declare const KUBE_YAML_SOURCE: string | undefined;

/** Longer texts are read and written in the thread: these would take more than 10 ms. */
const LONG_BYTES = 16 * 1024;
/** The thread has 8 MB of its own, about 80 after a body of a megabyte. */
const IDLE_MILLISECONDS = 30_000;
/** The longest body takes a few seconds. */
const LONGEST_MILLISECONDS = 30_000;
const MAX_MEGABYTES = 512;

const AMPERSAND = 0x26;
const ASTERISK = 0x2a;

/**
 * YAML that takes long to read or to write: a thread does that, which is started when it is needed for the first time. Without the
 * thread's program (`source`; the build carries it) everything is done at once.
 */
export class Yaml {
  private readonly thread: Thread<YamlQuestion, YamlAnswer> | undefined;

  constructor(clock: Clock, source = typeof KUBE_YAML_SOURCE === 'undefined' ? undefined : KUBE_YAML_SOURCE) {
    if (source !== undefined) this.thread = new Thread({ source, clock, idleMilliseconds: IDLE_MILLISECONDS, longestMilliseconds: LONGEST_MILLISECONDS, maxMegabytes: MAX_MEGABYTES });
  }

  /** Reads what takes long to be read; undefined: it does not. Throws a 413 `Status` for what takes too long. */
  async readAhead(bytes: Buffer): Promise<ReadYaml | undefined> {
    if (!this.thread || !takesLong(bytes) || (await run(isJsonToYaml(bytes)))) return undefined;
    const copy = Uint8Array.from(bytes);
    const answer = await this.ask({ type: 'read', bytes: copy }, copy, (why) => requestEntityTooLargeError(`the YAML could not be read: ${why}`));
    return 'read' in answer ? answer.read : undefined;
  }

  /** JSON as YAML. Throws a 500 `Status` when that takes too long. */
  async write(json: Buffer): Promise<Buffer> {
    if (!this.thread || json.length < LONG_BYTES) return encodeYaml(JSON.parse(json.toString()));
    const copy = Uint8Array.from(json);
    const answer = await this.ask({ type: 'write', json: copy }, copy, (why) => internalError(`the answer could not be written as YAML: ${why}`));
    return Buffer.from((answer as Extract<YamlAnswer, { yaml: unknown }>).yaml);
  }

  async close(): Promise<void> {
    await this.thread?.close();
  }

  private async ask(question: YamlQuestion, { buffer }: Uint8Array<ArrayBuffer>, failure: (why: string) => Error): Promise<YamlAnswer> {
    try {
      return await this.thread!.ask(question, [buffer]);
    } catch (error) {
      throw errorCode(error) === 'KUBE_THREAD' ? failure(errorMessage(error)) : error;
    }
  }
}

/** Long texts, and short ones that aliases may make long. */
function takesLong(bytes: Buffer): boolean {
  return bytes.length >= LONG_BYTES || (bytes.includes(AMPERSAND) && bytes.includes(ASTERISK));
}

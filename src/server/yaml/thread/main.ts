import { isDecodeError } from '../../../api/codec/decode-error.js';
import { decodeYaml } from '../../../api/codec/decode-yaml.js';
import { encodeYaml } from '../../../api/codec/encode-yaml.js';
import { answerQuestions } from '../../../base/thread/answer-questions.js';
import type { ReadYaml, YamlAnswer, YamlQuestion } from './questions.js';

answerQuestions<YamlQuestion, YamlAnswer>((question) => {
  if (question.type === 'write') {
    const yaml = ownBytes(encodeYaml(JSON.parse(Buffer.from(question.json).toString())));
    return { answer: { yaml }, handOver: [yaml.buffer] };
  }
  const read = readYaml(Buffer.from(question.bytes));
  return { answer: { read }, handOver: 'json' in read ? [read.json.buffer as ArrayBuffer] : [] };
});

function readYaml(bytes: Buffer): ReadYaml {
  try {
    const { value, strictErrors } = decodeYaml(bytes);
    const json = ownBytes(Buffer.from(JSON.stringify(value)));
    return strictErrors ? { json, strictErrors } : { json };
  } catch (error) {
    if (isDecodeError(error)) return { wrong: error.message };
    throw error;
  }
}

/** Small buffers share their memory with others. */
function ownBytes(buffer: Buffer): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(buffer);
}

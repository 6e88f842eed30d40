import { der, oid, oidText, parseDer, sequence, set, stringText, TAG, utf8String } from './der.js';

/** Attributes that a signed certificate takes over from a request, in the order in which they stand there: country, province, locality, street, postal code, organization, unit, common name, serial number. */
const ATTRIBUTES = ['2.5.4.6', '2.5.4.8', '2.5.4.7', '2.5.4.9', '2.5.4.17', '2.5.4.10', '2.5.4.11', '2.5.4.3', '2.5.4.5'];
/** Of these the last value counts; of the others all do. */
const SINGLE = ['2.5.4.3', '2.5.4.5'];
const PRINTABLE = /^[A-Za-z0-9 '()+,\-./:=?]*$/;

/**
 * The subject of a request as a signed certificate has it: known attributes in a fixed order, the values of one in one set. Others are
 * dropped, so that nobody gets an identity signed that the checks did not look at.
 */
export function signedSubject(subjectDer: Buffer): Buffer {
  const values = new Map<string, string[]>();
  for (const relative of parseDer(subjectDer).children) {
    for (const { children: [type, value] } of relative.children) {
      if (!type || !value) continue;
      const id = oidText(type);
      values.set(id, SINGLE.includes(id) ? [stringText(value)] : [...(values.get(id) ?? []), stringText(value)]);
    }
  }
  return sequence(...ATTRIBUTES.flatMap((id) => {
    const texts = (values.get(id) ?? []).filter((text) => text !== '' || !SINGLE.includes(id));
    // DER orders the members of a set by their bytes.
    return texts.length === 0 ? [] : [set(...texts.map((text) => sequence(oid(id), directoryString(text))).sort(Buffer.compare))];
  }));
}

function directoryString(text: string): Buffer {
  return PRINTABLE.test(text) ? der(TAG.printableString, Buffer.from(text, 'latin1')) : utf8String(text);
}

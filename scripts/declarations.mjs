// Writes the library's type declarations: dist/types/index.d.ts and the files that it names, each made from its source alone,
// so that a consumer's compiler reads a few declarations and not the whole source. What is exported needs explicit types for that.
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';

const SOURCE = resolve('src');
const compilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  strict: true,
  verbatimModuleSyntax: true,
  declaration: true,
  isolatedDeclarations: true,
};

/** Throws with all places whose types cannot be told without the rest of the program. */
export async function writeDeclarations(folder) {
  const mistakes = [];
  const files = new Set([join(SOURCE, 'index.ts')]);
  // A set can grow while it is walked.
  for (const file of files) {
    const { outputText, diagnostics } = ts.transpileDeclaration(await readFile(file, 'utf8'), { fileName: file, reportDiagnostics: true, compilerOptions });
    for (const { file: place, start, messageText } of diagnostics ?? []) {
      const line = place && start !== undefined ? place.getLineAndCharacterOfPosition(start).line + 1 : 1;
      mistakes.push(`${relative('.', file)}:${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
    }
    const target = join(folder, relative(SOURCE, file).replace(/\.ts$/, '.d.ts'));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, outputText);
    for (const { fileName } of ts.preProcessFile(outputText, true, true).importedFiles) {
      if (!fileName.startsWith('.')) continue;
      const next = resolve(dirname(file), fileName.replace(/\.js$/, '.ts'));
      await access(next);
      files.add(next);
    }
  }
  if (mistakes.length > 0) throw new Error(`no declarations can be made:\n${mistakes.join('\n')}`);
}

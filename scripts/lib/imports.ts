import { dirname, join, normalize } from 'node:path/posix'

export interface Import {
  specifier: string
  /** Repository path for a relative specifier, else the specifier itself. */
  target: string
  typeOnly: boolean
}

const STATEMENT = /(?:^|[;}\n])\s*(import|export)\s+(type\s+)?(?:[\w*{}\s,$]+?\s+from\s+)?['"]([^'"\n]+)['"]/g
const DYNAMIC = /(typeof\s+)?\bimport\(\s*['"]([^'"\n]+)['"]/g

/** Imports and re-exports of one file, read from its text. `import { type X }` counts as run time: it is kept as one. */
export function importsOf(file: string, source: string): Import[] {
  const text = source.replaceAll(/^\s*(\/\/|\/?\*).*$/gm, '')
  const statements = [...text.matchAll(STATEMENT)].map(([, , type, specifier = '']) => ({
    specifier,
    typeOnly: type !== undefined,
  }))
  const dynamic = [...text.matchAll(DYNAMIC)].map(([, typeOf, specifier = '']) => ({
    specifier,
    typeOnly: typeOf !== undefined,
  }))
  return [...statements, ...dynamic].map(({ specifier, typeOnly }) => ({
    specifier,
    typeOnly,
    target: specifier.startsWith('.') ? normalize(join(dirname(file), specifier)) : specifier,
  }))
}

import { dirname, join, normalize } from 'node:path/posix'
import { parseSync, Visitor } from 'oxc-parser'

export interface Import {
  specifier: string
  /** Repository path for a relative specifier, `@svc/protocol/x` for `#protocol/x`, else the specifier itself. */
  target: string
  /** True if nothing is loaded at run time. `import { type X }` does load its module, because the statement remains. */
  typeOnly: boolean
}

/** The imports and re-exports of one file, in order. */
export function importsOf(file: string, source: string): Import[] {
  const { program, errors } = parseSync(file, source, { lang: file.endsWith('x') ? 'tsx' : 'ts' })
  const [error] = errors
  if (error !== undefined) throw new Error(`${file}: ${error.message}`)
  const found: Import[] = []
  const add = (module: { readonly value?: unknown } | null, typeOnly: boolean) => {
    if (typeof module?.value !== 'string') return
    const specifier = module.value
    found.push({ specifier, target: targetOf(specifier, file), typeOnly })
  }
  new Visitor({
    ImportDeclaration: ({ source: module, importKind }) => add(module, importKind === 'type'),
    ExportNamedDeclaration: ({ source: module, exportKind }) => add(module, exportKind === 'type'),
    ExportAllDeclaration: ({ source: module, exportKind }) => add(module, exportKind === 'type'),
    ImportExpression: ({ source: module }) => add('value' in module ? module : null, false),
    TSImportType: ({ source: module }) => add(module, true),
  }).visit(program)
  return found
}

/** What a specifier means. The published packages name those that are published in them by `imports` of their manifest. */
function targetOf(specifier: string, file: string): string {
  if (specifier.startsWith('.')) return normalize(join(dirname(file), specifier))
  return specifier.replace(/^#/, '@svc/')
}

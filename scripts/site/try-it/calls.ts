/**
 * The calls of the SDK that the API reference shows, as text. They are functions in `scripts/site/calls`: a test runs each
 * against a running platform, and the page shows its body.
 *
 * @module
 */
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type ImportDeclaration, type ObjectProperty, type Program, parseSync, Visitor } from 'oxc-parser'

export interface ShownCall {
  /** With the imports of its own, without those of the preamble. */
  readonly code: string
  /** The names that it starts from. */
  readonly given: readonly string[]
}

interface Source {
  readonly text: string
  readonly program: Program
}

const FOLDER = join(import.meta.dirname, '../calls')
/** `Client` and `Identity` are imported by the preamble. */
const OF_THE_PREAMBLE = new Set(['Client', 'Identity'])

/** The files of a service: `pay.ts`, or `core-chain.ts` and so on. */
export function callFiles(service: string): string[] {
  return globSync('*.ts', { cwd: FOLDER })
    .filter((file) => basename(file, '.ts').split('-')[0] === service)
    .toSorted()
    .map((file) => join(FOLDER, file))
}

/** The calls of a service by the operation that each shows. */
export function callsOf(service: string): ReadonlyMap<string, ShownCall> {
  return new Map(callFiles(service).flatMap((file) => callsIn(file, readFileSync(file, 'utf8'))))
}

/** The methods of the objects that a file exports. */
export function callsIn(file: string, text: string): [string, ShownCall][] {
  const { program, errors } = parseSync(file, text, { lang: 'ts' })
  const [error] = errors
  if (error !== undefined) throw new Error(`${file}: ${error.message}`)
  const source = { text, program }
  return methodsOf(program).map((method) => {
    if (method.key.type !== 'Identifier' || method.value.type !== 'FunctionExpression' || !method.value.body)
      throw new Error(`${file}: a call is a method, named for its operation`)
    const { params, body } = method.value
    const code = dedented(text.slice(body.start + 1, body.end - 1))
    const imports = importsFor(source, body)
    const lines = imports.length === 0 ? [code] : [...imports, '', code]
    return [method.key.name, { code: lines.join('\n'), given: namesOf(params[0]) }]
  })
}

function methodsOf(program: Program): ObjectProperty[] {
  return program.body.flatMap((statement) => {
    if (statement.type !== 'ExportNamedDeclaration' || statement.declaration?.type !== 'VariableDeclaration') return []
    return statement.declaration.declarations.flatMap(({ init }) => {
      const object = init?.type === 'TSSatisfiesExpression' ? init.expression : init
      if (object?.type !== 'ObjectExpression') return []
      return object.properties.filter((property) => property.type === 'Property')
    })
  })
}

/** The names that a parameter such as `{ client, friend }: Given` takes. */
function namesOf(parameter: unknown): string[] {
  const pattern = parameter as { readonly type: string; readonly properties?: readonly unknown[] } | undefined
  if (pattern?.type !== 'ObjectPattern') return []
  return (pattern.properties as readonly { readonly key: { readonly name: string } }[]).map(({ key }) => key.name)
}

/** The imports of the file that a body uses, each as a line. */
function importsFor({ text, program }: Source, body: { readonly start: number; readonly end: number }): string[] {
  const used = new Set<string>()
  new Visitor({
    Identifier({ name, start, end }) {
      if (start >= body.start && end <= body.end && text[start - 1] !== '.') used.add(name)
    },
  }).visit(program)
  return program.body
    .filter((statement): statement is ImportDeclaration => statement.type === 'ImportDeclaration')
    .filter(({ importKind }) => importKind !== 'type')
    .flatMap(({ specifiers, source }) => {
      const names = specifiers
        .filter((specifier) => specifier.type === 'ImportSpecifier' && specifier.importKind !== 'type')
        .map(({ local }) => local.name)
        .filter((name) => used.has(name) && !OF_THE_PREAMBLE.has(name))
      return names.length === 0 ? [] : [`import { ${names.join(', ')} } from '${source.value}'`]
    })
}

function dedented(body: string): string {
  const lines = body.replace(/^\n/, '').trimEnd().split('\n')
  const indent = Math.min(...lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)))
  return lines.map((line) => line.slice(indent)).join('\n')
}

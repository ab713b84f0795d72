/**
 * What Workers call of each other and of their objects: the public methods of every exported entrypoint and Durable Object
 * class, as the sources declare them.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ROOT, WORKER_NAMES } from '@svc/platform/workspace'
import { type Class, type Program, parseSync, type Statement, type TSSignature } from 'oxc-parser'

/** Members of an interface or of an object type by name, or the text of another type. */
export type TypeText = string | { readonly [member: string]: string }

export interface Contract {
  /** `worker/Class`, then `method`, then its parameters and result. */
  readonly methods: { readonly [owner: string]: { readonly [method: string]: string } }
  /** The types that the signatures name, and those that these name. */
  readonly types: { readonly [name: string]: TypeText }
}

/** What the runtime calls, and nobody over RPC. */
const HANDLERS = new Set(['constructor', 'alarm', 'fetch', 'webSocketMessage', 'webSocketClose', 'webSocketError'])
const BASES = new Set(['DurableObject', 'WorkerEntrypoint'])

export function contractOf(): Contract {
  const methods: Record<string, Record<string, string>> = {}
  const types: Record<string, TypeText> = {}
  for (const worker of WORKER_NAMES) {
    const index = sourceOf(join(ROOT, 'workers', worker, 'src/index.ts'))
    for (const [name, found] of exportedClasses(index)) {
      const signatures = methodsOf(found, types)
      if (signatures !== null) methods[`${worker}/${name}`] = sorted(signatures)
    }
  }
  return { methods: sorted(methods), types: sorted(types) }
}

interface Source {
  readonly path: string
  readonly text: string
  readonly body: Program['body']
}

interface Declared<T> {
  readonly source: Source
  readonly node: T
}

const sources = new Map<string, Source>()

function sourceOf(path: string): Source {
  const known = sources.get(path)
  if (known) return known
  const text = readFileSync(path, 'utf8')
  const { program, errors } = parseSync(path, text)
  if (errors[0]) throw new Error(`${relative(ROOT, path)}: ${errors[0].message}`)
  const source = { path, text, body: program.body }
  sources.set(path, source)
  return source
}

function exportedClasses(source: Source): [string, Declared<Class>][] {
  return source.body.flatMap((statement) => {
    if (statement.type !== 'ExportNamedDeclaration' || statement.exportKind === 'type') return []
    const { declaration, specifiers } = statement
    if (declaration?.type === 'ClassDeclaration') return [[declaration.id?.name ?? '', { source, node: declaration }]]
    return specifiers.flatMap((specifier): [string, Declared<Class>][] => {
      const name = 'name' in specifier.exported ? specifier.exported.name : ''
      const found = classNamed(source, name)
      return found ? [[name, found]] : []
    })
  })
}

/** Null for a class that is neither an object nor an entrypoint. */
function methodsOf(found: Declared<Class>, types: Record<string, TypeText>): Record<string, string> | null {
  const { node, source } = found
  const base = node.superClass?.type === 'Identifier' ? node.superClass.name : null
  if (base === null) return null
  const parent = BASES.has(base) ? undefined : classNamed(source, base)
  const inherited = parent ? methodsOf(parent, types) : BASES.has(base) ? {} : null
  if (inherited === null) return null
  const own: Record<string, string> = {}
  for (const member of node.body.body) {
    if (member.type !== 'MethodDefinition' || member.static || member.key.type !== 'Identifier') continue
    const { name } = member.key
    if (HANDLERS.has(name) || member.accessibility === 'private' || member.accessibility === 'protected') continue
    const { body, start } = member.value
    const signature = plain(source.text.slice(start, body?.start))
    own[name] = member.kind === 'get' ? `get ${signature}` : signature
    addTypes(signature, source, types)
  }
  return { ...inherited, ...own }
}

function classNamed(source: Source, name: string): Declared<Class> | undefined {
  return declared(source, name, (statement): statement is Class & Statement => statement.type === 'ClassDeclaration')
}

/** The declaration of a name, here or where it is imported or exported from. */
function declared<T extends Statement>(
  source: Source,
  name: string,
  fits: (statement: Statement) => statement is T,
): Declared<T> | undefined {
  for (const statement of source.body) {
    const own = statement.type === 'ExportNamedDeclaration' && statement.declaration ? statement.declaration : statement
    const id = 'id' in own && own.id && 'name' in own.id ? own.id.name : undefined
    if (id === name && fits(own)) return { source, node: own }
    if (statement.type !== 'ImportDeclaration' && statement.type !== 'ExportNamedDeclaration') continue
    const isFrom = statement.specifiers.some((one) => nameOf('local' in one ? one.local : undefined) === name)
    if (!isFrom || !statement.source) continue
    const path = resolved(source.path, statement.source.value)
    const there = path === null ? undefined : declared(sourceOf(path), name, fits)
    if (there) return there
  }
  return undefined
}

function nameOf(node: object | undefined): string | undefined {
  return node && 'name' in node && typeof node.name === 'string' ? node.name : undefined
}

/** Null for what is not source of this repository. */
function resolved(from: string, specifier: string): string | null {
  if (specifier.startsWith('.')) return join(dirname(from), specifier)
  if (!/^(@svc\/|#)/.test(specifier)) return null
  return createRequire(pathToFileURL(from)).resolve(specifier)
}

/** Adds the types of this repository that a text names, and those that they name. */
function addTypes(text: string, source: Source, types: Record<string, TypeText>): void {
  for (const [name] of text.matchAll(/\b[A-Z]\w+\b/g)) {
    if (name in types) continue
    const found = declared(source, name, isType)
    if (!found) continue
    const { node } = found
    const members = node.type === 'TSInterfaceDeclaration' ? node.body.body : objectMembers(node.typeAnnotation)
    const whole = plain(found.source.text.slice(node.start, node.end))
    types[name] = members ? membersOf(members, found.source) : whole
    addTypes(whole, found.source, types)
  }
}

type TypeDeclaration = Extract<Statement, { type: 'TSInterfaceDeclaration' | 'TSTypeAliasDeclaration' }>

function isType(statement: Statement): statement is TypeDeclaration {
  return statement.type === 'TSInterfaceDeclaration' || statement.type === 'TSTypeAliasDeclaration'
}

function objectMembers(type: { readonly type: string; readonly members?: readonly TSSignature[] }) {
  return type.type === 'TSTypeLiteral' ? type.members : undefined
}

function membersOf(members: readonly TSSignature[], { text }: Source): Record<string, string> {
  return sorted(
    Object.fromEntries(
      members.map((member) => {
        const whole = plain(text.slice(member.start, member.end)).replace(/^readonly /, '')
        return [/^["']?[\w$]+/.exec(whole)?.[0] ?? whole, whole]
      }),
    ),
  )
}

/** Without comments, and with one space where there are many. */
function plain(text: string): string {
  return text
    .replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/,? ([)}])/g, '$1')
    .replaceAll('( ', '(')
    .trim()
}

function sorted<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/**
 * The marks that let bundlers leave out what a program does not use. A bundler keeps a constant that is made by a call, with
 * all that the call needs, unless `@__PURE__` says that the call only makes a value.
 *
 * @module
 */
import { parseAst } from 'vite'

/** The packages whose code gets into pages, directly or within the SDK. */
const BUNDLED = /^packages\/(assertion|client|fingerprint|pqc|protocol|tlog)\/src\//
const TEST = /\.(test|fixture)\.ts$/
const MARK = /\/\* @__PURE__ \*\/\s*$/
/** What is evaluated later, or not at all. */
const NOT_NOW = new Set(['ArrowFunctionExpression', 'FunctionExpression', 'ClassExpression', 'AwaitExpression'])
const CALLS = new Set(['CallExpression', 'NewExpression', 'TaggedTemplateExpression'])

interface Node {
  readonly type: string
  readonly start: number
}
interface Statement extends Node {
  readonly kind?: string
  readonly declaration?: Statement | null
  readonly declarations?: readonly { readonly id: Node & { readonly name?: string }; readonly init: Node | null }[]
}

/** One line for each constant of a module that is made by calls without the mark. */
export function unmarkedConstants(file: string, source: string): string[] {
  if (!BUNDLED.test(file) || TEST.test(file)) return []
  const body = parseAst(source, { lang: 'ts' }, file).body as unknown as readonly Statement[]
  return body
    .map((statement) => statement.declaration ?? statement)
    .flatMap(({ kind, declarations = [] }) => (kind === 'const' ? declarations : []))
    .filter(({ init }) => init !== null && callsNow(init) && !MARK.test(source.slice(0, init.start)))
    .map(({ id }) => `${file}: ${id.name ?? 'a pattern'} (a constant that calls something begins with /* @__PURE__ */)`)
}

function callsNow(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(callsNow)
  if (typeof value !== 'object' || value === null) return false
  const { type } = value as Node
  if (NOT_NOW.has(type)) return false
  return CALLS.has(type) || Object.values(value).some(callsNow)
}
